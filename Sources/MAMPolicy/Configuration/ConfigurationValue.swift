/// What the text of a setting comes to where a query wants another type.
enum ConfigurationValue {
    /// Longest text that can be a number.
    private static let longestNumber = 400

    /// "true" and "false" in any case; other text is no boolean.
    static func bool(_ text: String) -> Bool? {
        switch text.utf8.count {
        case 4 where text.utf8.elementsEqual("true".utf8, by: isSameLetter): true
        case 5 where text.utf8.elementsEqual("false".utf8, by: isSameLetter): false
        default: nil
        }
    }

    private static func isSameLetter(_ a: UInt8, _ lower: UInt8) -> Bool { a | 0x20 == lower && a >= 0x41 }

    /// A decimal number that a double can hold; whole ones that fit 64 bits stay exact.
    static func number(_ text: String) -> ConfigurationNumber? {
        guard isNumber(text) else { return nil }
        if let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { return nil }
        return .double(double)
    }

    /// A sign, digits with at most one point among them, an exponent: no spaces, no words, no hexadecimal.
    private static func isNumber(_ text: String) -> Bool {
        guard text.utf8.count <= longestNumber else { return false }
        var rest = text.utf8[...]
        func skipSign() { if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() } }
        func skipDigits() -> Int {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest.removeFirst(digits)
            return digits
        }
        skipSign()
        var digits = skipDigits()
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            digits += skipDigits()
        }
        guard digits > 0 else { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            skipSign()
            guard skipDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
