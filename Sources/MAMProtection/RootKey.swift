import CSealing
import MAMSupport

/// The key that everything of an app group on this computer hangs on; docs/formats.md, "Keys".
public struct RootKey: Sendable {
    /// 16 bytes that tell one root key from another and nothing of either: safe to store.
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

    /// A new one.
    public static func make() throws(MAMError) -> RootKey { try RootKey(try SecretBytes.random(count: length)) }

    /// From the content of a key file, into the vault of that; `.keyUnavailable` where it is none.
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

    /// The content of its key file.
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

    /// Unwrap it; `.authentication` where kind or epoch are not those it was wrapped with.
    public func unwrap(_ wrapped: [UInt8], kind: String, epoch: UInt32) throws(MAMError) -> SecretBytes {
        let context = try WrapContext.bytes(kind: kind, account: [], epoch: epoch)
        return try Cobblestone.openSecret(wrapped, context: context, key: wrapping)
    }

    /// The keys of one account of one app: they need this key and the account's shred share.
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
