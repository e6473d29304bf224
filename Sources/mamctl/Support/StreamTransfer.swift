import CMam

/// Passes data of any size through one of libmam's streams, in constant memory.
final class StreamTransfer {
    private let source: ChunkedInput
    private let target: FilterOutput
    private let isQuiet: Bool
    // Written by the stream's output thread, and read by the caller after the stream is closed.
    private var problem: Error?

    init(source: ChunkedInput, target: FilterOutput, isQuiet: Bool) {
        self.source = source
        self.target = target
        self.isQuiet = isQuiet
    }

    /// The first chunk, and whether it is the whole input.
    var beginning: (bytes: UnsafeRawBufferPointer, isAll: Bool) { (source.chunk, !source.isFull) }

    /// Arguments for opening a stream: flags (two threads for long input), the output callback and its context.
    typealias OpenArguments = (flags: UInt32, take: OutputCallback, user: UnsafeMutableRawPointer)
    typealias OutputCallback = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32

    /// Write the whole input to a stream and finish the output.
    func run(
        open: (OpenArguments) -> mam_status, write: (UnsafePointer<UInt8>?, Int) -> mam_status,
        close: (_ flags: UInt32) -> mam_status
    ) throws {
        let flags: UInt32 = source.isFull ? UInt32(MAM_TWO_THREADS) : 0
        let user = Unmanaged.passUnretained(self).toOpaque()
        var progress = ProgressLine(source.name, total: source.total, isQuiet: isQuiet)
        defer { progress.clear() }
        let take: OutputCallback = { StreamTransfer.take($0, $1, $2) }
        do {
            try check(open((flags, take, user)))
            do {
                while !source.chunk.isEmpty {
                    let chunk = source.chunk.bindMemory(to: UInt8.self)
                    try check(write(chunk.baseAddress, chunk.count))
                    progress.advance(chunk.count)
                    // A partial chunk is the last; reading again would prompt a terminal once more.
                    if source.isFull { try source.next() } else { break }
                }
            } catch {
                _ = close(UInt32(MAM_ABANDON))
                throw problem ?? error
            }
            try check(close(0))
            try target.finish()
        } catch let failure as CommandError {
            throw target.hasBegun ? failure.appending("what was written is not to be used") : failure
        }
    }

    private func check(_ status: mam_status) throws {
        guard status != MAM_OK else { return }
        throw problem ?? CommandError.lastLibraryError
    }

    private static func take(
        _ user: UnsafeMutableRawPointer?, _ data: UnsafePointer<UInt8>?, _ length: Int
    ) -> Int32 {
        guard let user else { return 1 }
        let transfer = Unmanaged<StreamTransfer>.fromOpaque(user).takeUnretainedValue()
        do {
            try transfer.target.write(UnsafeRawBufferPointer(start: data, count: length))
            return 0
        } catch {
            transfer.problem = error
            return 1
        }
    }
}
