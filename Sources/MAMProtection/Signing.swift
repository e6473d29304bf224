import CSealing
import MAMSupport

/// An Ed25519 signing key, in memory excluded from swap and core dumps.
public struct SigningKey: Sendable {
    /// The public key.
    public let verifier: VerifyingKey
    private let secret: SecretBytes

    /// A key of 32 secret bytes.
    public init(_ secret: SecretBytes) throws(MAMError) {
        guard secret.count == Int(SEALING_PUBLIC) else { throw MAMError(.internal, "a signing key has 32 bytes") }
        var bytes = [UInt8](repeating: 0, count: Int(SEALING_PUBLIC))
        let isDone = secret.withUnsafeBytes { secret in
            bytes.withUnsafeMutableBytes { out in
                guard let secret = secret.baseAddress, let out = out.baseAddress else { return false }
                return sealing_sign_public(secret, out)
            }
        }
        guard isDone else { throw SigningKey.refused }
        self.secret = secret
        verifier = VerifyingKey(bytes)
    }

    /// Sign a message. The 64 bytes are deterministic.
    public func sign(_ message: [UInt8]) throws(MAMError) -> [UInt8] {
        let made = message.withUnsafeBytes { signature(of: $0, secret, verifier.bytes, by: sealing_sign) }
        guard let made else { throw SigningKey.refused }
        return made
    }

    /// Access the secret bytes, for the key file.
    public func withSecret<R>(_ body: (UnsafeRawBufferPointer) throws(MAMError) -> R) throws(MAMError) -> R {
        try secret.withUnsafeBytes(body)
    }

    private static let refused = MAMError(.crypto, "neither libsodium nor libcrypto signs with Ed25519 here")
}

/// The public half of an Ed25519 key.
public struct VerifyingKey: Hashable, Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// A key of 32 bytes; nil for another length.
    public init?(checking bytes: [UInt8]) {
        guard bytes.count == Int(SEALING_PUBLIC) else { return nil }
        self.bytes = bytes
    }

    /// A key in base64; nil for malformed text.
    public init?(base64 text: String) {
        guard let bytes = try? Array(text.utf8).withUnsafeBytes({ try Base64.decode($0) }) else { return nil }
        self.init(checking: bytes)
    }

    /// The key in base64.
    public var base64: String {
        String(decoding: bytes.withUnsafeBytes { Base64.encode($0) } ?? [], as: UTF8.self)
    }

    /// Whether a signature of a message verifies.
    public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        isSignature(signature, of: message, by: bytes, verify: sealing_sign_verify)
    }
}

/// Returns the SHA-256 digest.
public func sha256(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { sha256($0) } }

/// Returns the SHA-256 digest of a secret.
public func sha256(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { sha256($0) } }

private func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SEALING_SHA256))
    digest.withUnsafeMutableBytes { out in
        if let out = out.baseAddress { sealing_sha256(bytes.baseAddress, bytes.count, out) }
    }
    return digest
}
