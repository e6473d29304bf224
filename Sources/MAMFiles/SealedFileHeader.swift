import CSealedFile
import MAMProtection
import MAMSupport

/// The header of a sealed file, with account and key. It is public, and verified when the file is opened.
public struct SealedFileHeader: Sendable {
    let raw: sealed_file_header_t

    init(_ raw: sealed_file_header_t) { self.raw = raw }

    /// The header of a new file.
    init(account: [UInt8], key: DataKey) throws(MAMError) {
        var raw = sealed_file_header_t()
        guard account.count <= Int(SEALED_FILE_ACCOUNT) else { throw .argument("account", "is too long") }
        raw.epoch = key.epoch
        raw.account_length = UInt16(account.count)
        withUnsafeMutableBytes(of: &raw.account) { $0.copyBytes(from: account) }
        withUnsafeMutableBytes(of: &raw.key_id) { $0.copyBytes(from: key.id) }
        self.raw = raw
    }

    /// 16 bytes.
    public var keyId: [UInt8] { withUnsafeBytes(of: raw.key_id) { Array($0) } }
    /// The epoch of the key.
    public var epoch: UInt32 { raw.epoch }
    /// The account id in UTF-8.
    public var accountId: [UInt8] { withUnsafeBytes(of: raw.account) { Array($0.prefix(Int(raw.account_length))) } }
    /// Whether the header names a key.
    public func names(_ key: DataKey) -> Bool { epoch == key.epoch && keyId == key.id }
}
