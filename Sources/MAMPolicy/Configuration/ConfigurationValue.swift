/// Conversion of a setting's text to other types.
enum ConfigurationValue {
    /// The maximum length of a number's text.
    private static let maximumNumberLength = 400

    /// Parses "true" and "false" in any case; nil for other text.
    static func bool(_ text: String) -> Bool? {
        switch text.utf8.count {
        case 4 where text.utf8.elementsEqual("true".utf8, by: isSameLetter): true
        case 5 where text.utf8.elementsEqual("false".utf8, by: isSameLetter): false
        default: nil
        }
    }

    private static func isSameLetter(_ a: UInt8, _ lower: UInt8) -> Bool { a | 0x20 == lower && a >= 0x41 }

    /// Parses a decimal number that a double can represent. Whole numbers that fit 64 bits stay exact.
    static func number(_ text: String) -> ConfigurationNumber? {
        guard isNumber(text) else { return nil }
        if let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { return nil }
        return .double(double)
    }

    /// Returns whether the text is a sign, digits with at most one point, and an exponent: no spaces, words or hexadecimal.
    private static func isNumber(_ text: String) -> Bool {
        guard text.utf8.count <= maximumNumberLength else { return false }
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
