import MAMSupport

/// A key for data that managed apps exchange. The authority issues it to every enrolled app of an account.
public struct ExchangeKey: Sendable {
    /// The number of the key among the account's, from 1.
    public let epoch: UInt32
    /// 16 random bytes.
    public let id: [UInt8]
    /// 32 bytes.
    public let key: SecretBytes

    /// Create a key.
    public init(epoch: UInt32, id: [UInt8], key: SecretBytes) {
        self.epoch = epoch
        self.id = id
        self.key = key
    }
}
