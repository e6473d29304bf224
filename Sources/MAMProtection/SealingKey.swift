import CSealing
import MAMSupport

/// A key prepared for sealing: the states of HMAC-SHA-512 under it, computed once, in memory that is zeroed on release.
public final class SealingKey: Sendable {
    private let states: SecretBytes

    /// Prepare a key of 32 bytes.
    public init(_ key: SecretBytes) throws(MAMError) {
        guard key.count == Int(SEALING_KEY) else {
            throw MAMError(.internal, "a sealing key has \(key.count) bytes instead of \(SEALING_KEY)")
        }
        states = try SecretBytes(count: MemoryLayout<sealing_key_t>.size) { memory in
            key.withUnsafeBytes { bytes in
                guard let bytes = bytes.baseAddress, let memory = memory.baseAddress else { return }
                sealing_key_prepare(memory.assumingMemoryBound(to: sealing_key_t.self), bytes)
            }
        }
    }

    func status(_ body: (UnsafePointer<sealing_key_t>) -> Int32) -> SealingStatus {
        states.withUnsafeBytes { memory in
            guard let memory = memory.baseAddress else { return SealingStatus(code: Int32(SEALING_LIBRARY)) }
            return SealingStatus(code: body(memory.assumingMemoryBound(to: sealing_key_t.self)))
        }
    }

    func isTrue(_ body: (UnsafePointer<sealing_key_t>) -> Bool) -> Bool {
        states.withUnsafeBytes { memory in
            memory.baseAddress.map { body($0.assumingMemoryBound(to: sealing_key_t.self)) } ?? false
        }
    }
}
