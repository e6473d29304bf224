/// The context to which the encryption of an exchange key is bound.
public enum ExchangeKeyInfo {
    /// The `info` of HPKE: a label, then each part behind its length in 4 bytes, big-endian. `keyId` is in base64url.
    public static func bytes(
        tenant: String, accountId: String, registration: String, epoch: Int64, keyId: String
    ) -> [UInt8] {
        var info = Array("libmam exchange key 1".utf8)
        for part in [tenant, accountId, registration, String(epoch), keyId] {
            let length = UInt32(truncatingIfNeeded: part.utf8.count)
            info += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + Array(part.utf8)
        }
        return info
    }
}
