import MAMSupport

/// Wraps the data keys of an account of an app, and seals the account's rows. It cannot be derived without the account's share.
public struct AccountWrapKey: Sendable {
    /// The key for the account's rows.
    public let sealing: SealingKey

    private let wrapping: SealingKey
    private let account: [UInt8]

    init(rootAndShare: SecretBytes, account: [UInt8]) throws(MAMError) {
        self.account = account
        sealing = try SealingKey(try HKDF.sha512(rootAndShare, salt: account, purpose: "libmam v1 account rows"))
        wrapping = try SealingKey(try HKDF.sha512(rootAndShare, salt: account, purpose: "libmam v1 account wrap"))
    }

    /// Wrap a key.
    public func wrap(_ key: SecretBytes, kind: String, epoch: UInt32) throws(MAMError) -> [UInt8] {
        let context = try WrapContext.bytes(kind: kind, account: account, epoch: epoch)
        return try Cobblestone.seal(secret: key, context: context, key: wrapping)
    }

    /// Unwrap a key. Fails with `.authentication` unless kind and epoch match.
    public func unwrap(_ wrapped: [UInt8], kind: String, epoch: UInt32) throws(MAMError) -> SecretBytes {
        let context = try WrapContext.bytes(kind: kind, account: account, epoch: epoch)
        return try Cobblestone.openSecret(wrapped, context: context, key: wrapping)
    }
}
