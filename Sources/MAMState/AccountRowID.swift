import MAMSupport

/// The random id of an account of an app. It reveals nothing about the account.
public struct AccountRowID: Hashable, Sendable {
    /// 16 bytes.
    public let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func make() throws(MAMError) -> AccountRowID { AccountRowID(try randomBytes(16)) }

    /// An id from 32 hexadecimal digits.
    init?(hex: String) {
        guard hex.utf8.count == 32, let bytes = MAMSupport.bytes(hexadecimal: hex) else { return nil }
        self.bytes = bytes
    }

    /// 32 hexadecimal digits.
    public var hex: String { hexadecimal(bytes) }
}
