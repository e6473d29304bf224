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
    public init?(stored: [UInt8]) {
        guard stored.count == Int(SEALING_P256_SECRET) + Int(SEALING_P256_PUBLIC),
            let secret = try? SecretBytes(
                count: Int(SEALING_P256_SECRET), filling: { $0.copyBytes(from: stored.prefix($0.count)) })
        else { return nil }
        self.secret = secret
        publicKey = Array(stored.dropFirst(Int(SEALING_P256_SECRET)))
    }

    /// The stored form, which is secret.
    public var stored: [UInt8] { secret.withUnsafeBytes { Array($0) } + publicKey }

    /// Sign a message by ECDSA with SHA-256: 64 bytes, r and s.
    public func sign(_ message: [UInt8]) throws(MAMError) -> [UInt8] {
        guard let signature = signature(of: message, secret, publicKey, by: sealing_p256_sign) else {
            throw RequestKey.refused
        }
        return signature
    }

    /// Whether a signature of a message verifies by a public key.
    public static func verifies(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
        key.count == Int(SEALING_P256_PUBLIC)
            && isSignature(signature, of: message, by: key, verify: sealing_p256_verify)
    }

    private static let refused = MAMError(.crypto, "libcrypto does not sign with P-256 here")
}
