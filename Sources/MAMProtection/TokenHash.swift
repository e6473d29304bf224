import CProcess
import CSealing
import MAMSupport

/// A salted hash of an access token. It is fast, and thus suitable only for tokens with many random bits, not for PINs or
/// passwords.
public enum TokenHash {
    static let saltLength = 16

    /// Hash a token: 16 bytes of salt, then HMAC-SHA-256 of the token under the salt.
    public static func make(token: UnsafeRawBufferPointer) throws(MAMError) -> [UInt8] {
        let salt = try randomBytes(saltLength)
        return salt + mac(token, salt: salt)
    }

    /// Whether a hash is of this token. Constant-time for tokens of equal length.
    public static func verify(_ token: UnsafeRawBufferPointer, against hash: [UInt8]) -> Bool {
        guard hash.count == saltLength + Int(SEALING_MAC) else { return false }
        let expected = mac(token, salt: Array(hash.prefix(saltLength)))
        return hash.withUnsafeBytes { hash in
            expected.withUnsafeBytes { expected in
                guard let a = hash.baseAddress, let b = expected.baseAddress else { return false }
                return process_equal(a + saltLength, b, expected.count)
            }
        }
    }

    private static func mac(_ token: UnsafeRawBufferPointer, salt: [UInt8]) -> [UInt8] {
        var key = sealing_mac_key_t()
        var mac = [UInt8](repeating: 0, count: Int(SEALING_MAC))
        salt.withUnsafeBytes { sealing_mac_prepare(&key, $0.baseAddress, $0.count) }
        mac.withUnsafeMutableBytes { out in
            if let out = out.baseAddress { sealing_mac(&key, token.baseAddress, token.count, out) }
        }
        sealing_clear_frames()
        return mac
    }
}
