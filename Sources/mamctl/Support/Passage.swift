import CMam

/// Data on its way through one of libmam's streams: any size, in constant memory.
final class Passage {
    private let source: InputPieces
    private let target: DataTarget
    private let isQuiet: Bool
    // The receiving thread's, and after the stream was closed the caller's.
    private var problem: Error?

    init(source: InputPieces, target: DataTarget, isQuiet: Bool) {
        self.source = source
        self.target = target
        self.isQuiet = isQuiet
    }

    /// What the input begins with, and whether that is all.
    var beginning: (bytes: UnsafeRawBufferPointer, isAll: Bool) { (source.piece, !source.isFull) }

    /// For a stream that is opened: what takes its output, with what, and a second thread where that is worth one.
    typealias Opening = (flags: UInt32, take: Take, user: UnsafeMutableRawPointer)
    typealias Take = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int) -> Int32

    /// Push everything through a stream and finish the output.
    func run(
        open: (Opening) -> mam_status, write: (UnsafePointer<UInt8>?, Int) -> mam_status,
        close: (_ flags: UInt32) -> mam_status
    ) throws {
        let flags: UInt32 = source.isFull ? UInt32(MAM_TWO_THREADS) : 0
        let user = Unmanaged.passUnretained(self).toOpaque()
        var progress = ProgressLine(source.name, total: source.total, isQuiet: isQuiet)
        defer { progress.clear() }
        let take: Take = { Passage.take($0, $1, $2) }
        do {
            try check(open((flags, take, user)))
            do {
                while !source.piece.isEmpty {
                    let piece = source.piece.bindMemory(to: UInt8.self)
                    try check(write(piece.baseAddress, piece.count))
                    progress.advance(piece.count)
                    // A piece that is not full is the last; a terminal would be asked for more.
                    if source.isFull { try source.next() } else { break }
                }
            } catch {
                _ = close(UInt32(MAM_ABANDON))
                throw problem ?? error
            }
            try check(close(0))
            try target.finish()
        } catch let failure as Failure {
            throw target.hasBegun ? failure.adding("what was written is not to be used") : failure
        }
    }

    private func check(_ status: mam_status) throws {
        guard status != MAM_OK else { return }
        throw problem ?? Failure.latest
    }

    private static func take(
        _ user: UnsafeMutableRawPointer?, _ data: UnsafePointer<UInt8>?, _ length: Int
    ) -> Int32 {
        guard let user else { return 1 }
        let passage = Unmanaged<Passage>.fromOpaque(user).takeUnretainedValue()
        do {
            try passage.target.write(UnsafeRawBufferPointer(start: data, count: length))
            return 0
        } catch {
            passage.problem = error
            return 1
        }
    }
}
