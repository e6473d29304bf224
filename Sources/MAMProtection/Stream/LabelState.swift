import CPlatform
import CSealing
import MAMSupport

/// The HMAC of a labelled container whose bytes come in pieces: in secret memory, since who has it can go on with it.
final class LabelState {
    private let key: LabelKey
    private let state: UnsafeMutablePointer<sealing_mac_state_t>

    private static let size = MemoryLayout<sealing_mac_state_t>.size

    init(_ key: LabelKey) throws(MAMError) {
        guard let memory = platform_secret_alloc(LabelState.size) else { throw .noMemory(LabelState.size) }
        self.key = key
        state = memory.bindMemory(to: sealing_mac_state_t.self, capacity: 1)
        key.with { sealing_mac_begin($0, state) }
    }

    deinit { platform_secret_free(state, LabelState.size) }

    func add(_ bytes: UnsafeRawBufferPointer) { sealing_mac_add(state, bytes.baseAddress, bytes.count) }

    /// Nothing is added after it.
    func finish(into out: UnsafeMutableRawPointer) { key.with { sealing_mac_end($0, state, out) } }

    /// Whether it is this; nothing is added after it.
    func finish(matches mac: UnsafeRawPointer) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Container.macLength, alignment: 8) { own in
            guard let own = own.baseAddress else { return false }
            finish(into: own)
            return platform_equal(own, mac, Container.macLength)
        }
    }
}
