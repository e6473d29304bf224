import MAMSupport

/// Wraps the data keys of one account of one app, and seals the account's rows. Gone with the account's shred share.
public struct AccountWrapKey: Sendable {
    /// For the account's rows.
    public let sealing: SealingKey

    private let wrapping: SealingKey
    private let account: [UInt8]

    init(rootAndShare: SecretBytes, account: [UInt8]) throws(MAMError) {
        self.account = account
        sealing = try SealingKey(try HKDF.sha512(rootAndShare, salt: account, purpose: "libmam v1 account rows"))
        wrapping = try SealingKey(try HKDF.sha512(rootAndShare, salt: account, purpose: "libmam v1 account wrap"))
    }

    /// Wrap a key of the account.
    public func wrap(_ key: SecretBytes, kind: String, epoch: UInt32) throws(MAMError) -> [UInt8] {
        let context = try WrapContext.bytes(kind: kind, account: account, epoch: epoch)
        return try Cobblestone.seal(secret: key, context: context, key: wrapping)
    }

    /// Unwrap it; `.authentication` where kind or epoch are not those it was wrapped with.
    public func unwrap(_ wrapped: [UInt8], kind: String, epoch: UInt32) throws(MAMError) -> SecretBytes {
        let context = try WrapContext.bytes(kind: kind, account: account, epoch: epoch)
        return try Cobblestone.openSecret(wrapped, context: context, key: wrapping)
    }
}
