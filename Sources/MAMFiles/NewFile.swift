import CFiles
import MAMProtection
import MAMState
import MAMSupport

/// A new file that gets its name when it is complete. After a failure or kill the former file remains.
public final class NewFile {
    private let target: FileLocation
    private let state: State
    private let descriptor: Descriptor
    /// The file that it replaces, whose metadata it inherits.
    private let replaced: ReplacedFile?
    /// The temporary name, where the file has one.
    private var pending: PendingFile?

    /// Create a file for a path, with the permissions of the file that is there, else of `mode`. It is invisible until ``commit()``.
    public convenience init(_ path: FilePath, mode: UInt32, _ state: State) throws(MAMError) {
        let location = try FileLocation(path)
        try self.init(location, mode: (try? location.entry())?.mode ?? mode, nil, state)
    }

    /// Create a replacement of a file that is being read.
    public convenience init(replacing source: SourceFile, _ state: State) throws(MAMError) {
        try source.replaced.refuseLinks()
        try self.init(source.location, of: source.replaced, state)
    }

    /// Create a file with the metadata of another one.
    convenience init(_ location: FileLocation, of replaced: ReplacedFile, _ state: State) throws(MAMError) {
        try self.init(location, mode: 0o600, replaced, state)
        try replaced.copyMetadata(to: number)
        SealedMark.remove(number)
    }

    private init(_ location: FileLocation, mode: UInt32, _ replaced: ReplacedFile?, _ state: State) throws(MAMError) {
        self.replaced = replaced
        target = location
        self.state = state
        let directory = location.directory.number
        _ = try NewFile.checkReplaceable(location)
        var number: Int32 = -1
        var begun = files_create_unnamed(directory, mode & 0o777, &number)
        var pending: PendingFile?
        if Int(begun) == FILES_EOPNOTSUPP {
            let made = try PendingFile(in: directory, of: state, isDurable: true)
            begun = files_create_named(directory, made.name, mode & 0o777, &number)
            if begun == 0 { pending = made }
        }
        try check(begun, "make it", location.displayPath)
        descriptor = Descriptor(number)
        self.pending = pending
    }

    deinit { if let pending { _ = files_remove_at(target.directory.number, pending.name, false) } }

    /// The descriptor.
    public var number: Int32 { descriptor.number }

    /// Append bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        guard let base = bytes.baseAddress else { return }
        try check(files_write(number, base, bytes.count), "write it", target.displayPath)
    }

    /// Write a container with the bytes that `fill` provides.
    public func write(
        containerFor account: [UInt8], content: ContentType = .file, key: DataKey,
        _ fill: (@escaping (UnsafeRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) -> Void
    ) throws(MAMError) {
        let receiver = Receiver { [self] (bytes) throws(MAMError) in try write(bytes) }
        let output = try StreamOutput(
            capacity: ContainerSealing.outputCapacity, hasThread: false, receiver: receiver.receive)
        let sealing = try ContainerSealing(account: account, content: content, key: key, output: output)
        try receiver.run { () throws(MAMError) in
            try fill { (bytes) throws(MAMError) in try sealing.write(bytes) }
            try sealing.finish()
        }
    }

    /// Write a sealed file with the bytes that `fill` provides.
    public func write(
        sealedFor account: [UInt8], key: DataKey,
        _ fill: (@escaping (UnsafeRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) -> Void
    ) throws(MAMError) {
        let file = try sealed(for: account, key)
        var offset: Int64 = 0
        try fill { (bytes) throws(MAMError) in
            try file.writeAll(bytes, at: offset)
            offset += Int64(bytes.count)
        }
    }

    /// Make the file a sealed one and open it.
    func sealed(for account: [UInt8], _ key: DataKey) throws(MAMError) -> RandomAccessFile {
        let path = target.displayPath
        try SealedFile.create(
            descriptor, path: path, header: try SealedFileHeader(account: account, key: key), key: key)
        guard let header = try SealedFile.header(of: descriptor, path: path) else {
            throw MAMError(.internal, "a sealed file that was made has a header")
        }
        let shared = try SharedLocks(words: state.words)
        return RandomAccessFile(
            sealed: try SealedFile(descriptor, path: path, shared, header: header, key: key), .readingAndWriting)
    }

    /// Open the file as a plain one.
    func plain() -> RandomAccessFile {
        RandomAccessFile(plain: PlainFile(descriptor: descriptor, path: target.displayPath), .readingAndWriting)
    }

    /// Sync the file and give it its name. Fails if the file that it replaces has changed. A symbolic link at the path is neither
    /// followed nor replaced.
    public func commit() throws(MAMError) {
        try replaced?.giveTimes(to: number)
        let directory = target.directory.number
        try check(files_sync(number, false), "write it", target.displayPath)
        var isFree = try NewFile.checkReplaceable(target)
        if isFree, pending == nil {
            let named = files_link(number, directory, target.name)
            // Another process may have created a file.
            isFree = Int(named) != FILES_EEXIST
            if isFree {
                try checkCommit(named)
                return try checkCommit(files_sync_directory(directory))
            }
            _ = try NewFile.checkReplaceable(target)
        }
        let pending = try named()
        try checkCommit(files_rename_at(directory, pending.name, target.name))
        self.pending = nil
        try checkCommit(files_sync_directory(directory))
    }

    /// Whether no file exists. Fails for a file that must not be replaced.
    private static func checkReplaceable(_ location: FileLocation) throws(MAMError) -> Bool {
        let there = files_check_name_free(location.directory.number, location.name)
        if Int(there) == FILES_EEXIST { return false }
        try check(there, "put it in its place", location.displayPath)
        return true
    }

    private func named() throws(MAMError) -> PendingFile {
        if let pending { return pending }
        let made = try PendingFile(in: target.directory.number, of: state, isDurable: false)
        try checkCommit(files_link(number, target.directory.number, made.name))
        pending = made
        return made
    }

    private func checkCommit(_ result: Int32) throws(MAMError) {
        try check(result, "put it in its place", target.displayPath)
    }
}
