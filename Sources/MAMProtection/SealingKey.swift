import CSealing
import MAMSupport

/// A key prepared for sealing: the precomputed states of HMAC-SHA-512, in memory that is zeroed on release or with the key's vault.
public final class SealingKey: @unchecked Sendable {
    // Written in `init` only, so that threads may share it.
    private let states: UnsafeMutableRawPointer
    let vault: Vault?

    private static let size = MemoryLayout<sealing_key_t>.size

    /// Prepare a key of 32 bytes.
    public init(_ key: SecretBytes) throws(MAMError) {
        guard key.count == Int(SEALING_KEY) else {
            throw MAMError(.internal, "a sealing key has \(key.count) bytes instead of \(SEALING_KEY)")
        }
        vault = key.vault
        states = try Vault.allocate(SealingKey.size, in: vault)
        key.withUnsafeBytes { bytes in
            guard let bytes = bytes.baseAddress else { return }
            sealing_key_prepare(states.bindMemory(to: sealing_key_t.self, capacity: 1), bytes)
        }
    }

    deinit { Vault.release(states, SealingKey.size) }

    /// Call CSealing with the prepared key.
    @inline(__always)
    func with<R>(_ body: (UnsafePointer<sealing_key_t>) -> R) -> R {
        withExtendedLifetime(self) { body(states.assumingMemoryBound(to: sealing_key_t.self)) }
    }
}
