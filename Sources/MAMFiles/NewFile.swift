import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// A file that takes its place when it is whole: what fails before, or is killed, leaves what was there.
public final class NewFile {
    private let path: FilePath
    private let spot: Spot
    private let state: State
    private let descriptor: Descriptor
    /// The name that it has before its own, where it has one.
    private var pending: PendingFile?

    /// Begin one for a path, with the permissions of `mode`. Nothing shows before ``place()``.
    public init(_ path: FilePath, mode: UInt32, _ state: State) throws(MAMError) {
        // Its directory is held open, so that nobody moves the ground between two calls.
        spot = try Spot(path)
        self.path = path
        self.state = state
        var number: Int32 = -1
        var begun = platform_new_nameless(spot.directory.number, mode & 0o777, &number)
        var pending: PendingFile?
        if Int(begun) == PLATFORM_EOPNOTSUPP {
            let made = try PendingFile(in: spot.directory.number, of: state)
            begun = platform_new_named(spot.directory.number, made.name, mode & 0o777, &number)
            if begun == 0 { pending = made }
        }
        guard begun == 0 else { throw .transfer(begun, "make it", path) }
        descriptor = Descriptor(number)
        self.pending = pending
    }

    deinit { if let pending { _ = platform_unlink_at(spot.directory.number, pending.name) } }

    /// For whoever writes down whose it is.
    public var number: Int32 { descriptor.number }

    /// Add bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        guard let base = bytes.baseAddress else { return }
        try check(platform_write_on(number, base, bytes.count), "write it")
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
        sealedFor account: [UInt8], key: DataKey, _ shared: SharedLocks,
        _ fill: ((UnsafeRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) -> Void
    ) throws(MAMError) {
        try SealedFile.make(
            descriptor, path: path.text, header: try SealedHeader(account: account, key: key), key: key)
        guard let header = try SealedFile.header(of: descriptor, path: path.text) else {
            throw MAMError(.internal, "a sealed file that was made has a header")
        }
        let file = try SealedFile(descriptor, path: path.text, shared, header: header, key: key)
        var offset: Int64 = 0
        try fill { (bytes) throws(MAMError) in
            // What was written of a piece that does not fit whole is no error yet: the rest of it says why.
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                done += try file.write(rest, at: offset + Int64(done))
            }
            offset += Int64(done)
        }
    }

    /// In the place of the file that it was made of, with its properties and times: nobody may have changed that one since, and
    /// it may have no other names, which would stay what they are.
    public func place(of source: SourceFile) throws(MAMError) {
        let former = source.descriptor.number
        try check(platform_copy_properties(former, number), "keep its properties")
        try check(withUnsafePointer(to: source.times) { platform_set_times(number, $0) }, "keep its times")
        var links: UInt64 = 0
        var changed: Int64 = 0
        try check(platform_links_of(former, &links, &changed), "look at it")
        guard links == 1 else {
            throw MAMError(
                .unsupported,
                "\(path.text): has \(links) names (hard links), of which only one would be changed; remove the others",
                [("path", .string(path.text)), ("links", .integer(Int64(clamping: links)))])
        }
        guard changed == source.changed else {
            throw MAMError(
                .busy, "\(path.text): was changed meanwhile by another program; try again",
                [("path", .string(path.text))])
        }
        try place()
    }

    /// Durably in its place. A link there is neither followed nor replaced.
    public func place() throws(MAMError) {
        let directory = spot.directory.number
        try check(platform_settle(number), "write it")
        var isFree = try mayBeThere()
        if isFree, pending == nil {
            let named = platform_name_file(number, directory, spot.name)
            // Somebody may be faster.
            isFree = Int(named) != PLATFORM_EEXIST
            if isFree {
                try check(named, "put it in its place")
                return try check(platform_settle(directory), "put it in its place")
            }
            _ = try mayBeThere()
        }
        let pending = try named()
        try check(platform_rename_at(directory, pending.name, spot.name), "put it in its place")
        self.pending = nil
        try check(platform_settle(directory), "put it in its place")
    }

    /// Whether nothing is there; throws where what is may not be replaced.
    private func mayBeThere() throws(MAMError) -> Bool {
        let there = platform_may_replace(spot.directory.number, spot.name)
        if Int(there) == PLATFORM_EEXIST { return false }
        try check(there, "put it in its place")
        return true
    }

    private func named() throws(MAMError) -> PendingFile {
        if let pending { return pending }
        let made = try PendingFile(in: spot.directory.number, of: state)
        try check(platform_name_file(number, spot.directory.number, made.name), "put it in its place")
        pending = made
        return made
    }

    private func check(_ result: Int32, _ doing: String) throws(MAMError) {
        guard result == 0 else { throw .transfer(result, doing, path) }
    }
}
