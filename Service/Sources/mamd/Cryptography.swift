import Crypto
import Foundation
import MAMService

/// The cryptography of swift-crypto.
struct Cryptography: ServiceCryptography {
    func verifies(_ signature: [UInt8], of message: [UInt8], by key: [UInt8]) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: key),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: message)
    }

    func isKey(_ bytes: [UInt8]) -> Bool { (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil }

    func signer(_ secret: UnsafeRawBufferPointer) -> (@Sendable ([UInt8]) -> [UInt8]?)? {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: secret) else { return nil }
        return { message in (try? key.signature(for: message)).map(Array.init) }
    }

    func seal(_ secret: UnsafeRawBufferPointer, to key: [UInt8], info: [UInt8]) -> [UInt8]? {
        let suite = HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
        guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: key),
            var sender = try? HPKE.Sender(recipientKey: key, ciphersuite: suite, info: Data(info)),
            let sealed = try? sender.seal(secret)
        else { return nil }
        return Array(sender.encapsulatedKey) + Array(sealed)
    }
}
