import CPlatform

/// Random bytes that are not secret. (Secret ones: ``SecretBytes/random(count:)``.)
public func randomBytes(_ count: Int) throws(MAMError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let isFilled = bytes.withUnsafeMutableBytes { memory in
        memory.baseAddress.map { platform_random($0, memory.count) } ?? true
    }
    guard isFilled else { throw MAMError(.crypto, "the system gives no random numbers") }
    return bytes
}

/// Lower-case hexadecimal digits.
public func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// The bytes of hexadecimal digits; nil for anything else.
public func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
        guard let byte = UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) else {
            return nil
        }
        bytes.append(byte)
    }
    return bytes
}

extension UInt8 {
    /// A to Z or a to z.
    @inlinable public var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
    /// 0 to 9.
    @inlinable public var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}

/// The decimal digits of a number, with zeros in front up to a width. `String(_:)` would take 128 KiB of code into memory.
public func decimalDigits(_ value: Int64, width: Int = 1) -> [UInt8] {
    var digits: [UInt8] = []
    var rest = value.magnitude
    while rest > 0 || digits.count < width {
        digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
        rest /= 10
    }
    if value < 0 { digits.append(UInt8(ascii: "-")) }
    return digits.reversed()
}
