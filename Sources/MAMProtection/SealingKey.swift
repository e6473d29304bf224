import CPlatform
import CSealing
import MAMSupport

/// A key prepared for sealing: the states of HMAC-SHA-512 under it, computed once, in memory that is zeroed on release.
public final class SealingKey: @unchecked Sendable {
    // Written in `init` only, so that threads may share it.
    private let states: UnsafeMutableRawPointer

    private static let size = MemoryLayout<sealing_key_t>.size

    /// Prepare a key of 32 bytes.
    public init(_ key: SecretBytes) throws(MAMError) {
        guard key.count == Int(SEALING_KEY) else {
            throw MAMError(.internal, "a sealing key has \(key.count) bytes instead of \(SEALING_KEY)")
        }
        guard let states = platform_secret_alloc(SealingKey.size) else { throw .noMemory(SealingKey.size) }
        self.states = states
        key.withUnsafeBytes { bytes in
            guard let bytes = bytes.baseAddress else { return }
            sealing_key_prepare(states.bindMemory(to: sealing_key_t.self, capacity: 1), bytes)
        }
    }

    deinit { platform_secret_free(states, SealingKey.size) }

    /// Call into CSealing with the states.
    @inline(__always)
    func with<R>(_ body: (UnsafePointer<sealing_key_t>) -> R) -> R {
        withExtendedLifetime(self) { body(states.assumingMemoryBound(to: sealing_key_t.self)) }
    }
}
