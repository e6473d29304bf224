import CProcess
import MAMSupport

/// Splits bytes into records of one size, without copying where a piece has whole records.
final class RecordCollector {
    private static let most = 4  // records; enough to amortise the cost of a batch

    private let size: Int
    private let memory: UnsafeMutableRawPointer
    private var count = 0

    init(recordSize: Int) throws(MAMError) {
        size = recordSize
        guard let memory = process_result_alloc(RecordCollector.most * recordSize) else { throw .noMemory(recordSize) }
        self.memory = memory
    }

    deinit { process_result_free(memory) }

    /// The bytes that are left, less than four records.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Add bytes, and pass whole records to `records`.
    func take(
        _ bytes: UnsafeRawBufferPointer, _ records: (UnsafeRawBufferPointer) throws(MAMError) -> Void
    ) throws(MAMError) {
        var left = bytes[...]
        if count > 0 {
            guard bytes.count >= RecordCollector.most * size - count else { return keep(left) }
            let missing = (size - count % size) % size
            keep(left.prefix(missing))
            left = left.dropFirst(missing)
            let whole = count
            count = 0
            try records(UnsafeRawBufferPointer(start: memory, count: whole))
        }
        let whole = left.count / size * size
        if whole > 0 { try records(UnsafeRawBufferPointer(rebasing: left.prefix(whole))) }
        keep(left.dropFirst(whole))
    }

    private func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
        guard let from = UnsafeRawBufferPointer(rebasing: bytes).baseAddress else { return }
        (memory + count).copyMemory(from: from, byteCount: bytes.count)
        count += bytes.count
    }
}
