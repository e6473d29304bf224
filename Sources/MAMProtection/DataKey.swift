import CSealing
import MAMSupport

/// An account's data key of one epoch in one app.
public final class DataKey: Sendable {
    /// 16 random bytes, written into every container. They reveal nothing.
    public let id: [UInt8]
    /// The epoch.
    public let epoch: UInt32

    let number: KeyID
    let sealing: SealingKey

    /// An existing key.
    public init(id: [UInt8], epoch: UInt32, key: SecretBytes) throws(MAMError) {
        guard let number = KeyID(id) else { throw MAMError(.internal, "a key id has 16 bytes") }
        self.id = id
        self.number = number
        self.epoch = epoch
        sealing = try SealingKey(key)
    }

    /// A new key, and its bytes for wrapping.
    public static func make(epoch: UInt32) throws(MAMError) -> (DataKey, SecretBytes) {
        let id = try randomBytes(KeyID.length)
        let key = try SecretBytes.random(count: Int(SEALING_KEY))
        return (try DataKey(id: id, epoch: epoch, key: key), key)
    }

    /// Call CSealedFile with the prepared key.
    public func withSealingKey<R>(_ body: (UnsafePointer<sealing_key_t>) -> R) -> R { sealing.with(body) }

    /// Derive 32 bytes with HKDF-Expand-SHA-512; `info` is the purpose. Returns false and zeros where the key was zeroed.
    public func expand(_ info: UnsafeRawBufferPointer, into out: UnsafeMutableRawPointer) -> Bool {
        sealing.with { sealing_expand($0, info.baseAddress, info.count, out) }
    }
}
