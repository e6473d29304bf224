import CPlatform
import MAMSupport

/// The body of a labelled container that comes in pieces. Its last 32 bytes are the label, so as many are held back.
final class LabelledBody {
    private let outlet: Outlet
    private let label: LabelState
    private let told: UInt64?
    private var length: UInt64 = 0
    // Plain bytes as well, until more come: zeroed when it is given back.
    private let memory: UnsafeMutableRawBufferPointer
    private var held = 0

    /// After the header, which is `beginning`.
    init(
        _ beginning: UnsafeRawBufferPointer, _ header: ContainerHeader, _ key: LabelKey, _ outlet: Outlet
    ) throws(MAMError) {
        guard header.names(key) else { throw Container.notAuthentic }
        guard let memory = platform_result_alloc(Container.macLength) else { throw .noMemory(Container.macLength) }
        self.memory = UnsafeMutableRawBufferPointer(start: memory, count: Container.macLength)
        self.outlet = outlet
        told = header.told
        do throws(MAMError) { label = try LabelState(key) } catch {
            platform_result_free(memory)
            throw error
        }
        label.add(beginning)
    }

    deinit { platform_result_free(memory.baseAddress) }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MAMError) {
        let over = max(0, bytes.count - (memory.count - held))
        length += UInt64(over)
        if let told, length > told { throw SealedBody.otherLength }
        let former = min(over, held)
        try outlet.append(UnsafeRawBufferPointer(rebasing: memory[..<former]), label.add)
        try outlet.append(UnsafeRawBufferPointer(rebasing: bytes[..<(over - former)]), label.add)
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[former..<held]))
        held -= former
        let rest = UnsafeRawBufferPointer(rebasing: bytes[(over - former)...])
        UnsafeMutableRawBufferPointer(rebasing: memory[held...]).copyMemory(from: rest)
        held += rest.count
    }

    func finish() throws(MAMError) {
        guard held == memory.count, let mac = memory.baseAddress else { throw .malformed("its end is missing") }
        if let told, length != told { throw SealedBody.otherLength }
        guard try label.finish(matches: mac) else { throw Container.notAuthentic }
    }
}
