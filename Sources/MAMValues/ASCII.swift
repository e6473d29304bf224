extension UInt8 {
    /// A to Z or a to z.
    @inlinable public var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
    /// 0 to 9.
    @inlinable public var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }
    /// The value of a hexadecimal digit; nil for any other character.
    @inlinable public var hexadecimalValue: UInt8? {
        if isASCIIDigit { return self - UInt8(ascii: "0") }
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}

/// The decimal digits of a number, with leading zeros up to a width. `String(_:)` would page in 128 KiB of code.
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
