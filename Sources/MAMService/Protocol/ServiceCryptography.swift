/// Cryptography that the app protocol needs beyond libmam's own cryptography. mamd takes it from swift-crypto, which is faster here than
/// libcrypto.
public protocol ServiceCryptography: Sendable {
    /// Whether a signature (r and s, 64 bytes) of a message verifies by a P-256 key (SEC 1, 65 bytes), with SHA-256.
    func verifies(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool

    /// Whether bytes are a P-256 public key.
    func isKey(_ bytes: [UInt8]) -> Bool

    /// A function that signs messages with the Ed25519 key of 32 secret bytes, in 64 bytes; nil where libmam's own cryptography signs.
    func signer(_ secret: UnsafeRawBufferPointer) -> (@Sendable ([UInt8]) -> [UInt8]?)?

    /// Encrypt to an X25519 key by HPKE: base mode, HKDF-SHA256, AES-256-GCM, without additional data. Returns the encapsulated key
    /// and the ciphertext; nil where the key is none.
    func seal(_ secret: UnsafeRawBufferPointer, to key: [UInt8], info: [UInt8]) -> [UInt8]?
}

extension ServiceCryptography {
    /// No function: libmam's own cryptography signs.
    public func signer(_ secret: UnsafeRawBufferPointer) -> (@Sendable ([UInt8]) -> [UInt8]?)? { nil }
}
