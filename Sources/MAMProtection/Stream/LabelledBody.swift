import CProcess
import MAMSupport

/// The body of a labelled container that arrives in pieces. The last 32 bytes are held back, because they may be the label.
final class LabelledBody {
    private let output: StreamOutput
    private let label: LabelMAC
    private let declaredLength: UInt64?
    private var length: UInt64 = 0
    // May have plain bytes until more arrive; zeroed when it is freed.
    private let memory: UnsafeMutableRawBufferPointer
    private var held = 0

    /// A body after its header, which is `beginning`.
    init(
        _ beginning: UnsafeRawBufferPointer, _ header: ContainerHeader, _ key: LabelKey, _ output: StreamOutput
    ) throws(MAMError) {
        guard header.names(key) else { throw Container.notAuthentic }
        guard let memory = process_result_alloc(Container.macLength) else { throw .noMemory(Container.macLength) }
        self.memory = UnsafeMutableRawBufferPointer(start: memory, count: Container.macLength)
        self.output = output
        declaredLength = header.declaredLength
        do throws(MAMError) { label = try LabelMAC(key) } catch {
            process_result_free(memory)
            throw error
        }
        label.add(beginning)
    }

    deinit { process_result_free(memory.baseAddress) }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        let over = max(0, bytes.count - (memory.count - held))
        length += UInt64(over)
        if let declaredLength, length > declaredLength { throw SealedBody.otherLength }
        let former = min(over, held)
        try output.append(UnsafeRawBufferPointer(rebasing: memory[..<former]), label.add)
        try output.append(UnsafeRawBufferPointer(rebasing: bytes[..<(over - former)]), label.add)
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[former..<held]))
        held -= former
        let rest = UnsafeRawBufferPointer(rebasing: bytes[(over - former)...])
        UnsafeMutableRawBufferPointer(rebasing: memory[held...]).copyMemory(from: rest)
        held += rest.count
    }

    func finish() throws(MAMError) {
        guard held == memory.count, let mac = memory.baseAddress else { throw .malformed("its end is missing") }
        if let declaredLength, length != declaredLength { throw SealedBody.otherLength }
        guard try label.finish(matches: mac) else { throw Container.notAuthentic }
    }
}
