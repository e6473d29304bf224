import CPlatform
import MAMSupport

/// The random number an account of an app goes by in the state: tells nothing of the account.
public struct AccountRowID: Hashable, Sendable {
    /// 16 bytes.
    public let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func make() throws(MAMError) -> AccountRowID { AccountRowID(try randomBytes(16)) }

    /// 32 hexadecimal digits.
    public var hex: String { hexadecimal(bytes) }
}

/// Lower-case hexadecimal digits.
public func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Random bytes that are not secret.
func randomBytes(_ count: Int) throws(MAMError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let filled = bytes.withUnsafeMutableBytes { memory in
        memory.baseAddress.map { platform_random($0, memory.count) } ?? true
    }
    guard filled else { throw MAMError(.crypto, "the system gives no random numbers") }
    return bytes
}
