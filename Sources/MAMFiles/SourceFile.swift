import CPlatform
import MAMProtection
import MAMSupport

/// A regular file that is read once, from its beginning to its end, whatever it is sealed as.
public final class SourceFile {
    /// Where it is.
    public let place: FilePlace
    /// Its type and permissions.
    public let mode: UInt32
    /// What it is.
    public let form: FileForm

    /// Its first bytes, where it is a container: enough to verify what a sealed one's header says.
    public let beginning: [UInt8]

    let former: FormerFile
    var descriptor: Descriptor { former.descriptor }
    private static let piece = 256 << 10

    /// Open it; a link is not followed.
    public convenience init(_ path: FilePath) throws(MAMError) {
        let place = try FilePlace(path)
        try self.init(try FormerFile(place) { () throws(MAMError) in try place.open(.reading) }, place)
    }

    /// What is open already, and not read yet.
    init(_ former: FormerFile, _ place: FilePlace) throws(MAMError) {
        self.former = former
        self.place = place
        var facts = platform_file_facts_t()
        try check(platform_facts_of(former.descriptor.number, &facts), "look at it", place.shown)
        mode = facts.mode
        (form, beginning) = try FileForm.read(former.descriptor, path: place.shown)
    }

    /// Whether it is what lies at a path.
    public func isThere(_ path: FilePath) -> Bool { (try? FilePlace(path))?.isPlace(of: descriptor) ?? false }

    /// Which data key seals it; nil where none does.
    public var dataKey: (id: [UInt8], epoch: UInt32)? { form.dataKey }

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
                throw .file(error.code, place.shown, error.message, error.detail)
            }
        case .sealed(let header):
            guard let key = key?.dataKey else { throw MAMError(.internal, "a sealed file is opened with a key") }
            let file = try SealedFile(
                descriptor, path: place.shown, shared, header: header, key: key)
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
                try check(platform_read_on(descriptor.number, base, room.count, &count), "read it", place.shown)
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
