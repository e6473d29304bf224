import MAMSupport

/// The random number an account of an app goes by in the state: tells nothing of the account.
public struct AccountRowID: Hashable, Sendable {
    /// 16 bytes.
    public let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func make() throws(MAMError) -> AccountRowID { AccountRowID(try randomBytes(16)) }

    /// From 32 hexadecimal digits.
    init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: 32, by: 2) {
            guard let byte = UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    /// 32 hexadecimal digits.
    public var hex: String { hexadecimal(bytes) }
}
