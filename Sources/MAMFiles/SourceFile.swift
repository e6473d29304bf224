import CFiles
import CProcess
import MAMProtection
import MAMSupport

/// A regular file of any kind, read once from beginning to end.
public final class SourceFile {
    /// The location of the file.
    public let location: FileLocation
    /// Type and permissions.
    public let mode: UInt32
    /// The kind of the file.
    public let kind: FileKind

    /// The first bytes of a container, which suffice to verify a sealed header.
    public let beginning: [UInt8]

    let replaced: ReplacedFile
    var descriptor: Descriptor { replaced.descriptor }
    private static let piece = 256 << 10

    /// Open a file without following a link.
    public convenience init(_ path: FilePath) throws(MAMError) {
        let location = try FileLocation(path)
        try self.init(try ReplacedFile(location) { () throws(MAMError) in try location.open(.reading) }, location)
    }

    /// A file that is open and was not read yet.
    init(_ replaced: ReplacedFile, _ location: FileLocation) throws(MAMError) {
        self.replaced = replaced
        self.location = location
        var facts = files_stat_t()
        try check(files_fstat(replaced.descriptor.number, &facts), "look at it", location.displayPath)
        mode = facts.mode
        (kind, beginning) = try FileKind.read(replaced.descriptor, path: location.displayPath)
    }

    /// Whether this file is at a path.
    public func isThere(_ path: FilePath) -> Bool { (try? FileLocation(path))?.refers(to: descriptor) ?? false }

    /// The data key of the content; nil where it is not sealed.
    public var dataKey: (id: [UInt8], epoch: UInt32)? { kind.dataKey }

    /// The content type of a container.
    public var content: ContentType { if case .container(let header) = kind { header.content } else { .file } }

    /// Read the plain bytes in pieces. `key` is the one that the header names. If this throws, the pieces so far must not be used,
    /// because the end or the label did not verify.
    public func read(
        key: OpeningKey?, _ shared: SharedLocks, _ take: @escaping (UnsafeRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        switch kind {
        case .plain, .database, .databaseLog: try pieces(take)
        case .container:
            do throws(MAMError) { try open(key, take) } catch {
                // Errors of a container do not name a path.
                guard error.code == .damaged || error.code == .authentication else { throw error }
                throw .file(error.code, location.displayPath, error.message, error.detail)
            }
        case .sealed(let header):
            guard let key = key?.dataKey else { throw MAMError(.internal, "a sealed file is opened with a key") }
            let file = try SealedFile(
                descriptor, path: location.displayPath, shared, header: header, key: key)
            try withBuffer { (buffer) throws(MAMError) in
                var offset: Int64 = 0
                while true {
                    let count = try file.read(into: buffer, at: offset)
                    guard count > 0 else { return }
                    try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    offset += Int64(count)
                }
            }
        }
    }

    private func open(
        _ key: OpeningKey?, _ take: @escaping (UnsafeRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        let receiver = Receiver(take)
        let output = try StreamOutput(
            capacity: ContainerSealing.outputCapacity, hasThread: false, receiver: receiver.receive)
        let opening = ContainerOpening(output: output, isStrict: true)
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

    /// Read the raw bytes in pieces.
    private func pieces(_ take: (UnsafeRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) {
        try withBuffer { (buffer) throws(MAMError) in
            guard let base = buffer.baseAddress else { return }
            while true {
                var count = 0
                try check(
                    files_read(descriptor.number, base, buffer.count, &count), "read it", location.displayPath)
                if count > 0 { try take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                guard count == buffer.count else { return }
            }
        }
    }

    /// Allocate a buffer, and zero it when it is freed.
    private func withBuffer(_ body: (UnsafeMutableRawBufferPointer) throws(MAMError) -> Void) throws(MAMError) {
        guard let memory = process_result_alloc(SourceFile.piece) else { throw .noMemory(SourceFile.piece) }
        defer { process_result_free(memory) }
        try body(UnsafeMutableRawBufferPointer(start: memory, count: SourceFile.piece))
    }
}

/// Receives a stream's output on the thread that fills it. An error that it throws ends the stream.
final class Receiver: @unchecked Sendable {
    // Used by one thread at a time.
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

    /// Run `body`, and replace an error of the stream by the receiver's own error.
    func run(_ body: () throws(MAMError) -> Void) throws(MAMError) {
        do throws(MAMError) { try body() } catch { throw failure ?? error }
    }
}
