import CSealing
import MAMSupport

/// A P-256 key that signs requests, in memory excluded from swap and core dumps.
public struct RequestKey: Sendable {
    /// The public key as in SEC 1: 65 bytes, uncompressed.
    public let publicKey: [UInt8]
    private let secret: SecretBytes

    /// A new random key.
    public init() throws(MAMError) {
        var publicKey = [UInt8](repeating: 0, count: Int(SEALING_P256_PUBLIC))
        secret = try SecretBytes(count: Int(SEALING_P256_SECRET)) { (secret) throws(MAMError) in
            let isDone = publicKey.withUnsafeMutableBytes { out in
                guard let secret = secret.baseAddress, let out = out.baseAddress else { return false }
                return sealing_p256_create(secret, out)
            }
            guard isDone else { throw RequestKey.refused }
        }
        self.publicKey = publicKey
    }

    /// A key from its stored form: 32 bytes of secret, then the public key. nil for another length.
    public init?(stored: UnsafeRawBufferPointer) {
        let first = UnsafeRawBufferPointer(rebasing: stored.prefix(Int(SEALING_P256_SECRET)))
        guard stored.count == RequestKey.storedLength, let secret = try? SecretBytes(copying: first) else {
            return nil
        }
        self.secret = secret
        publicKey = Array(stored.dropFirst(secret.count))
    }

    /// A key from a copy of its stored form, which nobody zeroes.
    public init?(stored: [UInt8]) {
        guard let key = stored.withUnsafeBytes({ RequestKey(stored: $0) }) else { return nil }
        self = key
    }

    /// The length of the stored form.
    public static let storedLength = Int(SEALING_P256_SECRET) + Int(SEALING_P256_PUBLIC)

    /// Write the stored form, which is secret, to memory of its length.
    public func store(in memory: UnsafeMutableRawBufferPointer) {
        secret.withUnsafeBytes { memory.copyMemory(from: $0) }
        UnsafeMutableRawBufferPointer(rebasing: memory[secret.count...]).copyBytes(from: publicKey)
    }

    /// A copy of the stored form, which nobody zeroes.
    public var stored: [UInt8] { secret.withUnsafeBytes { Array($0) } + publicKey }

    /// Sign a message by ECDSA with SHA-256: 64 bytes, r and s.
    public func sign(_ message: [UInt8]) throws(MAMError) -> [UInt8] {
        try RequestKey.made(message.withUnsafeBytes { signature(of: $0, secret, publicKey, by: sealing_p256_sign) })
    }

    /// Sign a message with a secret in it.
    public func sign(_ message: SecretBytes) throws(MAMError) -> [UInt8] {
        try RequestKey.made(message.withUnsafeBytes { signature(of: $0, secret, publicKey, by: sealing_p256_sign) })
    }

    private static func made(_ signature: [UInt8]?) throws(MAMError) -> [UInt8] {
        guard let signature else { throw refused }
        return signature
    }

    /// Whether a signature of a message verifies by a public key.
    public static func verifies(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
        key.count == Int(SEALING_P256_PUBLIC)
            && isSignature(signature, of: message, by: key, verify: sealing_p256_verify)
    }

    private static let refused = MAMError(.crypto, "libcrypto does not sign with P-256 here")
}
