import CSealing
import MAMSupport

/// One epoch's key of one account of one app: seals the account's data.
public final class DataKey: Sendable {
    /// 16 bytes, written into every container. Random, so they tell nothing.
    public let id: [UInt8]
    /// Counts the account's keys.
    public let epoch: UInt32

    let number: KeyID
    let sealing: SealingKey

    /// A key that there was before.
    public init(id: [UInt8], epoch: UInt32, key: SecretBytes) throws(MAMError) {
        guard let number = KeyID(id) else { throw MAMError(.internal, "a key id has 16 bytes") }
        self.id = id
        self.number = number
        self.epoch = epoch
        sealing = try SealingKey(key)
    }

    /// A new one, and its bytes for wrapping.
    public static func make(epoch: UInt32) throws(MAMError) -> (DataKey, SecretBytes) {
        let id = try randomBytes(KeyID.length)
        let key = try SecretBytes.random(count: Int(SEALING_KEY))
        return (try DataKey(id: id, epoch: epoch, key: key), key)
    }

    /// What files are sealed with: for calls into CSealedFile.
    public func withSealingKey<R>(_ body: (UnsafePointer<sealing_key_t>) -> R) -> R { sealing.with(body) }

    /// 32 bytes for a purpose that `info` tells: HKDF-Expand-SHA-512 with the data key. False, and zeros, where the key is gone.
    public func expand(_ info: UnsafeRawBufferPointer, into out: UnsafeMutableRawPointer) -> Bool {
        sealing.with { sealing_expand($0, info.baseAddress, info.count, out) }
    }
}
