import CSealing
import MAMSupport

/// HKDF, RFC 5869.
public enum HKDF {
    /// Extract and expand with SHA-512, at most 16320 bytes, into the vault of the key.
    public static func sha512(
        _ key: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
    ) throws(MAMError) -> SecretBytes {
        guard (1...255 * 64).contains(count) else { throw MAMError(.internal, "HKDF cannot derive \(count) bytes") }
        return try SecretBytes(count: count, in: key.vault) { out in
            key.withUnsafeBytes { key in
                salt.withUnsafeBytes { salt in
                    info.withUnsafeBytes { info in
                        guard let from = key.baseAddress, let to = out.baseAddress else { return }
                        sealing_hkdf_sha512(
                            from, key.count, salt.baseAddress, salt.count, info.baseAddress, info.count, to, count)
                    }
                }
            }
        }
    }

    /// Same with a purpose as info.
    static func sha512(
        _ key: SecretBytes, salt: [UInt8] = [], purpose: StaticString, count: Int = Int(SEALING_KEY)
    ) throws(MAMError) -> SecretBytes {
        try sha512(key, salt: salt, info: Array("\(purpose)".utf8), count: count)
    }
}
