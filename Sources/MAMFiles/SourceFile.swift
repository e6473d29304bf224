import CPlatform
import MAMProtection
import MAMSupport

/// A regular file that is read once, from its beginning to its end, whatever it is sealed as.
public final class SourceFile {
    /// What its first bytes say that it is. Nothing of it is verified before it is read.
    public enum Form: Sendable {
        case plain
        /// Made in one go: by `mam_protect`, a stream or an export.
        case container(ContainerHeader)
        /// Sealed in place.
        case sealed(SealedHeader)
        /// Of the SQLite file system: read through that alone.
        case database
        /// A log or journal of one.
        case databaseLog
    }

    /// Where it is.
    public let path: FilePath
    /// Its type and permissions.
    public let mode: UInt32
    /// What it is.
    public let form: Form

    /// Its first bytes, where it is a container: enough to verify what a sealed one's header says.
    public let beginning: [UInt8]

    let descriptor: Descriptor
    /// When it was changed in any way; when it was read and written, before it is read.
    let changed: Int64
    let times: platform_times_t
    private static let piece = 256 << 10

    /// Open it; a link is not followed.
    public convenience init(_ path: FilePath) throws(MAMError) {
        var number: Int32 = -1
        var facts = platform_file_facts_t()
        let opened = platform_open_to_read(path.characters, &number, &facts)
        guard opened == 0 else { throw .transfer(opened, "read it", path) }
        try self.init(Descriptor(number, isHostFile: true), path, mode: facts.mode)
    }

    /// What is open already, and not read yet.
    init(_ descriptor: Descriptor, _ path: FilePath, mode: UInt32) throws(MAMError) {
        self.descriptor = descriptor
        self.path = path
        self.mode = mode
        var links: UInt64 = 0
        var changed: Int64 = 0
        let looked = platform_links_of(descriptor.number, &links, &changed)
        guard looked == 0 else { throw .transfer(looked, "look at it", path) }
        self.changed = changed
        var times = platform_times_t()
        platform_times_of(descriptor.number, &times)
        self.times = times
        (form, beginning) = try SourceFile.form(of: descriptor, path)
    }

    private static func form(of descriptor: Descriptor, _ path: FilePath) throws(MAMError) -> (Form, [UInt8]) {
        if let header = try SealedFile.header(of: descriptor, path: path.text) { return (.sealed(header), []) }
        var bytes = [UInt8](repeating: 0, count: Container.maximumHeader + Cobblestone.overhead)
        var count = 0
        let peeked = bytes.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { platform_peek(descriptor.number, $0, memory.count, &count) } ?? 0
        }
        guard peeked == 0 else { throw .transfer(peeked, "read it", path) }
        let (isContainer, header) = bytes.prefix(count).withUnsafeBytes {
            (Container.isContainer($0), Container.leading($0))
        }
        guard isContainer else {
            guard count >= 4, bytes[..<3].elementsEqual("MAM".utf8) else { return (.plain, []) }
            return (bytes[3] == 3 ? .database : bytes[3] == 4 ? .databaseLog : .plain, [])
        }
        guard let header else {
            throw MAMError(
                .damaged, "\(path.text): the container is damaged: its header is not one",
                [("path", .string(path.text)), ("originalCode", 103)])
        }
        return (.container(header), Array(bytes.prefix(count)))
    }

    /// Which data key seals it; nil where none does.
    public var dataKey: (id: [UInt8], epoch: UInt32)? {
        switch form {
        case .container(let header) where header.algorithm == ContainerHeader.sealed: (header.keyId, header.epoch)
        case .sealed(let header): (header.keyId, header.epoch)
        default: nil
        }
    }

    /// What a container says that it holds.
    public var content: ContentType { if case .container(let header) = form { header.content } else { .file } }

    /// Its plain bytes, piece by piece; `key` is the one that its header names. What it gave out before it throws is not to be
    /// used: the end, or the label, did not verify.
    public func read(
        key: OpeningKey?, _ shared: SharedLocks, _ take: (UnsafeRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        switch form {
        case .plain, .database, .databaseLog: try pieces(take)
        case .container:
            do throws(MAMError) { try open(key, take) } catch {
                // What is wrong with a container is told without its path.
                guard error.code == .damaged || error.code == .authentication else { throw error }
                throw MAMError(
                    error.code, "\(path.text): \(error.message)", error.detail + [("path", .string(path.text))])
            }
        case .sealed(let header):
            guard case .sealed(let key)? = key else { throw MAMError(.internal, "a sealed file is opened with a key") }
            let file = try SealedFile(
                descriptor, path: path.text, shared, header: header, key: key)
            try inRoom { (room) throws(MAMError) in
                var offset: Int64 = 0
                while true {
                    let count = try file.read(into: room, at: offset)
                    guard count > 0 else { return }
                    try take(UnsafeRawBufferPointer(rebasing: room[..<count]))
                    offset += Int64(count)
                }
            }
        }
    }

    private func open(
        _ key: OpeningKey?, _ take: (UnsafeRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        try withoutActuallyEscaping(take) { (take) throws(MAMError) in
            let receiver = Receiver(take)
            let outlet = try Outlet(
                capacity: ContainerSealing.outletCapacity, hasThread: false, receiver: receiver.receive)
            let opening = ContainerOpening(outlet: outlet, isStrict: true)
            try receiver.run { () throws(MAMError) in
                try pieces { (bytes) throws(MAMError) in
                    try opening.write(bytes) { (_) throws(MAMError) in
                        guard let key else { throw MAMError(.internal, "a container is opened with a key") }
                        return key
                    }
                }
                try opening.finish()
            }
        }
    }

    /// The file's own bytes.
    private func pieces(_ take: (UnsafeRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) {
        try inRoom { (room) throws(MAMError) in
            guard let base = room.baseAddress else { return }
            while true {
                var count = 0
                let result = platform_read_on(descriptor.number, base, room.count, &count)
                guard result == 0 else { throw MAMError.transfer(result, "read it", path) }
                if count > 0 { try take(UnsafeRawBufferPointer(rebasing: room[..<count])) }
                guard count == room.count else { return }
            }
        }
    }

    /// Memory for a piece, zeroed afterwards.
    private func inRoom(_ body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) {
        guard let memory = platform_result_alloc(SourceFile.piece) else { throw .noMemory(SourceFile.piece) }
        defer { platform_result_free(memory) }
        try body(UnsafeMutableRawBufferPointer(start: memory, count: SourceFile.piece))
    }
}

/// Takes what a stream gives out, on the thread that fills it; what it throws ends the stream.
final class Receiver: @unchecked Sendable {
    // One thread fills and receives.
    private let take: (UnsafeRawBufferPointer) throws(MAMError) -> Void
    private var failure: MAMError?

    init(_ take: @escaping (UnsafeRawBufferPointer) throws(MAMError) -> Void) { self.take = take }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        do throws(MAMError) {
            try take(bytes)
            return 0
        } catch {
            failure = error
            return 1
        }
    }

    /// Work with the stream; what was thrown on the way comes out in the place of what the stream says of it.
    func run(_ body: () throws(MAMError) -> Void) throws(MAMError) {
        do throws(MAMError) { try body() } catch { throw failure ?? error }
    }
}

extension MAMError {
    /// A call on a file that goes from one app to another failed.
    static func transfer(_ errno: Int32, _ doing: String, _ path: FilePath) -> MAMError {
        switch Int(errno) {
        case PLATFORM_EISDIR:
            return MAMError(
                .unsupported, "\(path.text): cannot \(doing): it is a directory",
                [("path", .string(path.text)), ("errno", .integer(Int64(errno))), ("originalCode", 105)])
        // What is no file is not waited for.
        case PLATFORM_ENXIO: return .file(Int32(PLATFORM_EINVAL), doing, path: path.text)
        default: return .file(errno, doing, path: path.text)
        }
    }
}
