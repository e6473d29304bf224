import CPlatform
import MAMSupport

/// Cuts bytes that come in any pieces into records of one size: where they lie, or collected first where they come in crumbs.
final class RecordCollector {
    private static let most = 4  // records; enough that what a batch costs once does not count

    private let size: Int
    private let memory: UnsafeMutableRawPointer
    private var count = 0

    init(recordSize: Int) throws(MAMError) {
        size = recordSize
        guard let memory = platform_result_alloc(RecordCollector.most * recordSize) else { throw .noMemory(recordSize) }
        self.memory = memory
    }

    deinit { platform_result_free(memory) }

    /// What is left of the latest bytes, less than four records.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Take bytes, and hand on whole records of them.
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
