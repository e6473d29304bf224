import CProcess
import CSealing
import MAMSupport

/// The HMAC of a labelled container that is written in pieces. It is in secret memory, because the state suffices to continue the
/// HMAC.
final class LabelMAC {
    private let key: LabelKey
    private let state: UnsafeMutablePointer<sealing_mac_state_t>

    private static let size = MemoryLayout<sealing_mac_state_t>.size

    init(_ key: LabelKey) throws(MAMError) {
        let memory = try Vault.allocate(LabelMAC.size, in: key.vault)
        self.key = key
        state = memory.bindMemory(to: sealing_mac_state_t.self, capacity: 1)
        try using { key.with { sealing_mac_begin($0, state) } }
    }

    deinit { Vault.release(state, LabelMAC.size) }

    /// Add bytes. If the key was zeroed this does nothing, and finishing fails.
    func add(_ bytes: UnsafeRawBufferPointer) {
        try? using { sealing_mac_add(state, bytes.baseAddress, bytes.count) }
    }

    /// Write the HMAC. No bytes may be added afterwards.
    func finish(into out: UnsafeMutableRawPointer) throws(MAMError) {
        try using { key.with { sealing_mac_end($0, state, out) } }
    }

    /// Whether the HMAC equals `mac`. No bytes may be added afterwards.
    func finish(matches mac: UnsafeRawPointer) throws(MAMError) -> Bool {
        var own = [UInt8](repeating: 0, count: Container.macLength)
        return try own.withMutableBytes { (own) throws(MAMError) in
            guard let own = own.baseAddress else { return false }
            try finish(into: own)
            return process_equal(own, mac, Container.macLength)
        }
    }

    private func using(_ body: () -> Void) throws(MAMError) {
        try Vault.using(key.vault) { () throws(MAMError) in
            body()
            try key.checkAlive()
        }
    }
}
