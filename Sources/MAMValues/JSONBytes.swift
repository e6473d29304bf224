/// The text that a JSON reader reads, and its position in it: white space, numbers and strings.
struct JSONBytes {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next byte; nil at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ message: String) -> JSONError { JSONError(message: message, offset: position) }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Skip a byte, if it comes next.
    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// Move to the first or next item of an object or array; false at its end, which is skipped.
    mutating func beginItem(_ isFirst: Bool, end: UInt8, _ name: StaticString) throws(JSONError) -> Bool {
        if isFirst {
            position += 1
            skipSpace()
            return !skip(end)
        }
        if skip(end) { return false }
        guard skip(UInt8(ascii: ",")) else { throw error("a comma or closing \(name) is missing") }
        skipSpace()
        return true
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        if position == start { throw error("a digit is missing") }
    }

    mutating func number() throws(JSONError) -> JSON {
        let start = position
        _ = skip(UInt8(ascii: "-"))
        if skip(UInt8(ascii: "0")) {
            if let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                throw error("a number begins with 0")
            }
        } else {
            try digits()
        }
        var isInteger = true
        if skip(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if let byte = next, byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            try digits()
        }
        if isInteger {
            guard let value = integer(from: start) else { throw error("a number does not fit 64 bits") }
            return .integer(value)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard position - start <= 64, let value = Double(text), value.isFinite else {
            throw error("a number is out of range")
        }
        return .decimal(text)
    }

    /// The value of the digits since `start`.
    private func integer(from start: Int) -> Int64? {
        let isNegative = bytes[start] == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in bytes[(isNegative ? start + 1 : start)..<position] {
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (tenfold, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) =
                isNegative ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
            if isTooLarge || overflows { return nil }
            value = sum
        }
        return value
    }

    mutating func string() throws(JSONError) -> String {
        position += 1
        var start = position
        var unescaped: [UInt8] = []
        while true {
            guard let byte = next else { throw error("the text ends inside a string") }
            switch byte {
            case UInt8(ascii: "\""):
                let last = bytes[start..<position]
                position += 1
                if unescaped.isEmpty { return String(decoding: last, as: UTF8.self) }
                return String(decoding: unescaped + last, as: UTF8.self)
            case UInt8(ascii: "\\"):
                unescaped.append(contentsOf: bytes[start..<position])
                try escape(into: &unescaped)
                start = position
            case 0..<0x20: throw error("a control character stands in a string")
            case 0x80...: try multibyte(byte)
            default: position += 1
            }
        }
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
        position += 1
        guard let letter = next else { throw error("an unknown escape") }
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            return try scalar().appendUTF8(to: &text)
        default: throw error("an unknown escape")
        }
        position += 1
    }

    /// The character of an escape, or of the two of a surrogate pair.
    private mutating func scalar() throws(JSONError) -> UInt32 {
        let unit = try hexadecimal()
        guard unit != 0 else { throw error("a string holds NUL") }
        guard unit & 0xF800 == 0xD800 else { return unit }
        guard unit & 0xFC00 == 0xD800, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
            throw error("a lone surrogate")
        }
        let low = try hexadecimal()
        guard low & 0xFC00 == 0xDC00 else { throw error("a lone surrogate") }
        return 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next else { throw error("the text ends inside an escape") }
            guard let digit = byte.hexadecimalValue else { throw error("an escape with a wrong digit") }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func multibyte(_ first: UInt8) throws(JSONError) {
        let count: Int
        var low: UInt8 = 0x80
        var high: UInt8 = 0xBF
        switch first {
        case 0xC2...0xDF: count = 1
        case 0xE0: (count, low) = (2, 0xA0)
        case 0xED: (count, high) = (2, 0x9F)
        case 0xE1...0xEF: count = 2
        case 0xF0: (count, low) = (3, 0x90)
        case 0xF4: (count, high) = (3, 0x8F)
        case 0xF1...0xF3: count = 3
        default: throw error("invalid UTF-8")
        }
        position += 1
        for _ in 0..<count {
            guard let byte = next, byte >= low, byte <= high else { throw error("invalid UTF-8") }
            (low, high) = (0x80, 0xBF)
            position += 1
        }
    }
}

extension UInt32 {
    /// Append this scalar value, which is no surrogate.
    fileprivate func appendUTF8(to text: inout [UInt8]) {
        switch self {
        case ..<0x80: text.append(UInt8(self))
        case ..<0x800: text += [UInt8(0xC0 | self >> 6), UInt8(0x80 | self & 0x3F)]
        case ..<0x10000: text += [UInt8(0xE0 | self >> 12), UInt8(0x80 | self >> 6 & 0x3F), UInt8(0x80 | self & 0x3F)]
        default:
            text += [
                UInt8(0xF0 | self >> 18), UInt8(0x80 | self >> 12 & 0x3F), UInt8(0x80 | self >> 6 & 0x3F),
                UInt8(0x80 | self & 0x3F),
            ]
        }
    }
}
