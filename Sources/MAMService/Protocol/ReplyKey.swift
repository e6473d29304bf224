import MAMMessages
import MAMProtection
import MAMSupport

/// The key that signs replies, with the thumbprint by which clients know it.
struct ReplyKey: Sendable {
    let key: SigningKey
    let id: String
    private let signer: (@Sendable ([UInt8]) -> [UInt8]?)?

    init(_ key: SigningKey, _ cryptography: any ServiceCryptography) throws(MAMError) {
        (self.key, id) = (key, key.verifier.kid)
        signer = try key.withSecret { (secret) throws(MAMError) in cryptography.signer(secret) }
    }

    func sign(_ message: [UInt8]) throws(MAMError) -> [UInt8] {
        guard let signer else { return try key.sign(message) }
        guard let signature = signer(message) else {
            throw MAMError(.crypto, "the authority key signs nothing")
        }
        return signature
    }
}
