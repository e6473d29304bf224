import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// A file that takes its place when it is whole: what fails before, or is killed, leaves what was there.
public final class NewFile {
    private let target: FilePlace
    private let state: State
    private let descriptor: Descriptor
    /// In whose place it comes, where it takes over what that one is.
    private let former: FormerFile?
    /// The name that it has before its own, where it has one.
    private var pending: PendingFile?

    /// Begin one for a path, with the permissions of `mode`. Nothing shows before ``place()``.
    public convenience init(_ path: FilePath, mode: UInt32, _ state: State) throws(MAMError) {
        try self.init(try FilePlace(path), mode: mode, nil, state)
    }

    /// Begin one for the place of a file that is read.
    public convenience init(replacing source: SourceFile, _ state: State) throws(MAMError) {
        try source.former.refuseLinks()
        try self.init(source.place, of: source.former, state)
    }

    /// Begin one that takes over what another file is.
    convenience init(_ place: FilePlace, of former: FormerFile, _ state: State) throws(MAMError) {
        try self.init(place, mode: 0o600, former, state)
        try former.giveProperties(to: number)
    }

    private init(_ place: FilePlace, mode: UInt32, _ former: FormerFile?, _ state: State) throws(MAMError) {
        self.former = former
        target = place
        self.state = state
        let directory = place.directory.number
        _ = try NewFile.mayBeThere(place)
        var number: Int32 = -1
        var begun = platform_new_nameless(directory, mode & 0o777, &number)
        var pending: PendingFile?
        if Int(begun) == PLATFORM_EOPNOTSUPP {
            let made = try PendingFile(in: directory, of: state, isDurable: true)
            begun = platform_new_named(directory, made.name, mode & 0o777, &number)
            if begun == 0 { pending = made }
        }
        try check(begun, "make it", place.shown)
        descriptor = Descriptor(number)
        self.pending = pending
    }

    deinit { if let pending { _ = platform_remove_at(target.directory.number, pending.name, false) } }

    /// For whoever writes down whose it is.
    public var number: Int32 { descriptor.number }

    /// Add bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        guard let base = bytes.baseAddress else { return }
        try check(platform_write_on(number, base, bytes.count), "write it", target.shown)
    }

    /// Fill it with a container of what `fill` gives.
    public func write(
        containerFor account: [UInt8], content: ContentType = .file, key: DataKey,
        _ fill: ((UnsafeRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) -> Void
    ) throws(MAMError) {
        let receiver = Receiver { [self] (bytes) throws(MAMError) in try write(bytes) }
        let outlet = try Outlet(
            capacity: ContainerSealing.outletCapacity, hasThread: false, receiver: receiver.receive)
        let sealing = try ContainerSealing(account: account, content: content, key: key, outlet: outlet)
        try receiver.run { () throws(MAMError) in
            try fill { (bytes) throws(MAMError) in try sealing.write(bytes) }
            try sealing.finish()
        }
    }

    /// Fill it with what `fill` gives, sealed in place: as a file that a host goes on working with.
    public func write(
        sealedFor account: [UInt8], key: DataKey,
        _ fill: ((UnsafeRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) -> Void
    ) throws(MAMError) {
        let file = try sealed(for: account, key)
        var offset: Int64 = 0
        try fill { (bytes) throws(MAMError) in
            try file.writeAll(bytes, at: offset)
            offset += Int64(bytes.count)
        }
    }

    /// Work on it as a sealed file, before it shows.
    func sealed(for account: [UInt8], _ key: DataKey) throws(MAMError) -> RandomAccessFile {
        let path = target.shown
        try SealedFile.make(descriptor, path: path, header: try SealedHeader(account: account, key: key), key: key)
        guard let header = try SealedFile.header(of: descriptor, path: path) else {
            throw MAMError(.internal, "a sealed file that was made has a header")
        }
        let shared = try SharedLocks(words: state.words)
        return RandomAccessFile(
            sealed: try SealedFile(descriptor, path: path, shared, header: header, key: key), .readingAndWriting)
    }

    /// Work on it as a plain file.
    func plain() -> RandomAccessFile {
        RandomAccessFile(plain: PlainFile(descriptor: descriptor, path: target.shown), .readingAndWriting)
    }

    /// Durably in its place, unless somebody has changed the file that it takes over from. A link there is neither followed nor
    /// replaced.
    public func place() throws(MAMError) {
        try former?.giveTimes(to: number)
        let directory = target.directory.number
        try check(platform_sync(number, false), "write it", target.shown)
        var isFree = try NewFile.mayBeThere(target)
        if isFree, pending == nil {
            let named = platform_name_file(number, directory, target.name)
            // Somebody may be faster.
            isFree = Int(named) != PLATFORM_EEXIST
            if isFree {
                try placed(named)
                return try placed(platform_settle_directory(directory))
            }
            _ = try NewFile.mayBeThere(target)
        }
        let pending = try named()
        try placed(platform_rename_at(directory, pending.name, target.name))
        self.pending = nil
        try placed(platform_settle_directory(directory))
    }

    /// Whether nothing is there; throws where what is may not be replaced.
    private static func mayBeThere(_ place: FilePlace) throws(MAMError) -> Bool {
        let there = platform_may_replace(place.directory.number, place.name)
        if Int(there) == PLATFORM_EEXIST { return false }
        try check(there, "put it in its place", place.shown)
        return true
    }

    private func named() throws(MAMError) -> PendingFile {
        if let pending { return pending }
        let made = try PendingFile(in: target.directory.number, of: state, isDurable: false)
        try placed(platform_name_file(number, target.directory.number, made.name))
        pending = made
        return made
    }

    private func placed(_ result: Int32) throws(MAMError) { try check(result, "put it in its place", target.shown) }
}
