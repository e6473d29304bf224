import CSealing
import MAMSupport

/// The signature of a message by a C function, which gets secret, public key, message, its length, and room for 64 bytes; nil if it
/// fails.
func signature(
    of message: UnsafeRawBufferPointer, _ secret: SecretBytes, _ publicKey: [UInt8],
    by sign: (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer?, Int, UnsafeMutableRawPointer) -> Bool
) -> [UInt8]? {
    var signature = [UInt8](repeating: 0, count: Int(SEALING_SIGNATURE))
    let isDone = secret.withUnsafeBytes { secret in
        publicKey.withUnsafeBytes { key in
            signature.withUnsafeMutableBytes { out in
                guard let secret = secret.baseAddress, let key = key.baseAddress, let out = out.baseAddress
                else { return false }
                return sign(secret, key, message.baseAddress, message.count, out)
            }
        }
    }
    return isDone ? signature : nil
}

/// Whether a signature of a message verifies by a C function, which gets public key, message, its length, and the signature. The
/// caller has checked the key's length.
func isSignature(
    _ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8],
    verify: (UnsafeRawPointer, UnsafeRawPointer?, Int, UnsafeRawPointer) -> Int32
) -> Bool {
    guard signature.count == Int(SEALING_SIGNATURE) else { return false }
    return publicKey.withUnsafeBytes { key in
        message.withUnsafeBytes { message in
            signature.withUnsafeBytes { signature in
                guard let key = key.baseAddress, let signature = signature.baseAddress else { return false }
                return verify(key, message.baseAddress, message.count, signature) == SEALING_OK
            }
        }
    }
}
