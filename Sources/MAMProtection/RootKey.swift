import CSealing
import MAMSupport

/// The root key, from which all other keys of an app group are derived or unwrapped; docs/formats.md, "Keys".
public struct RootKey: Sendable {
    /// 16 bytes that identify the key and may be stored in the clear.
    public let fingerprint: [UInt8]

    private let key: SecretBytes
    private let wrapping: SealingKey

    private static let length = Int(SEALING_KEY)
    private static let magic = Array("MAMROOT1".utf8)

    /// A root key of 32 bytes.
    public init(_ bytes: SecretBytes) throws(MAMError) {
        guard bytes.count == RootKey.length else { throw MAMError(.internal, "a root key has 32 bytes") }
        key = bytes
        wrapping = try SealingKey(try HKDF.sha512(bytes, purpose: "libmam v1 root wrap"))
        fingerprint = try HKDF.sha512(bytes, purpose: "libmam v1 root fingerprint", count: 16)
            .withUnsafeBytes { Array($0) }
    }

    /// Generate a root key.
    public static func make() throws(MAMError) -> RootKey { try RootKey(try SecretBytes.random(count: length)) }

    /// Decode the content of a key file, into its vault. Fails with `.keyUnavailable` for malformed content.
    public init(file: SecretBytes) throws(MAMError) {
        let isOne = file.withUnsafeBytes { file in
            file.count == RootKey.magic.count + RootKey.length
                && file.prefix(RootKey.magic.count).elementsEqual(RootKey.magic)
        }
        guard isOne else {
            throw MAMError(
                .keyUnavailable, "the root key file is not one: it has to be 40 bytes that begin with MAMROOT1")
        }
        try self.init(
            try SecretBytes(count: RootKey.length, in: file.vault) { key in
                file.withUnsafeBytes { key.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.suffix(key.count))) }
            })
    }

    /// The content of the key file.
    public func fileBytes() throws(MAMError) -> SecretBytes {
        let magic = RootKey.magic
        return try SecretBytes(count: magic.count + key.count) { file in
            file.copyBytes(from: magic)
            key.withUnsafeBytes { key in
                UnsafeMutableRawBufferPointer(rebasing: file[magic.count...]).copyMemory(from: key)
            }
        }
    }

    /// Wrap a key that belongs to no account.
    public func wrap(_ key: SecretBytes, kind: String, epoch: UInt32) throws(MAMError) -> [UInt8] {
        let context = try WrapContext.bytes(kind: kind, account: [], epoch: epoch)
        return try Cobblestone.seal(secret: key, context: context, key: wrapping)
    }

    /// Unwrap a key. Fails with `.authentication` unless kind and epoch match.
    public func unwrap(_ wrapped: [UInt8], kind: String, epoch: UInt32) throws(MAMError) -> SecretBytes {
        let context = try WrapContext.bytes(kind: kind, account: [], epoch: epoch)
        return try Cobblestone.openSecret(wrapped, context: context, key: wrapping)
    }

    /// Derive the wrap key of an account from this key and the account's share.
    public func accountWrapKey(share: SecretBytes, account: [UInt8]) throws(MAMError) -> AccountWrapKey {
        guard share.count == RootKey.length, account.count == 16 else {
            throw MAMError(.internal, "a shred share has 32 bytes and an account row's id has 16")
        }
        let both = try SecretBytes(count: key.count + share.count, in: key.vault) { both in
            key.withUnsafeBytes { both.copyMemory(from: $0) }
            share.withUnsafeBytes { share in
                UnsafeMutableRawBufferPointer(rebasing: both[key.count...]).copyMemory(from: share)
            }
        }
        return try AccountWrapKey(rootAndShare: both, account: account)
    }
}
