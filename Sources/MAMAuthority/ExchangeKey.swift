import MAMSupport

/// A key for what managed apps hand to each other, as the authority issues it to every enrolled app of an account.
public struct ExchangeKey: Sendable {
    /// Counts the account's exchange keys.
    public let epoch: UInt32
    /// 16 bytes that tell nothing.
    public let id: [UInt8]
    /// 32 bytes.
    public let key: SecretBytes

    /// A key.
    public init(epoch: UInt32, id: [UInt8], key: SecretBytes) {
        self.epoch = epoch
        self.id = id
        self.key = key
    }
}
