import CMam

/// Where text is not JSON. libmam is the judge of what it takes; this tells a person which line to mend.
struct JSONError: Error {
    let message: String
}

extension JSON {
    /// Read JSON text: RFC 8259, at most 64 levels.
    init(parsing text: String) throws(JSONError) {
        var reader = JSONReader(text)
        self = try reader.document()
    }
}

/// Reads one JSON text.
struct JSONReader {
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func document() throws(JSONError) -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard next == nil else { throw error("more text after the JSON value") }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        guard depth <= JSONReader.maximumDepth else { throw error("more than 64 levels") }
        skipSpace()
        guard let first = next else { throw error("the text ends where a value is expected") }
        switch first {
        case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw error("a value is expected")
        }
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        position += 1
        guard !skip("}") else { return members }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a key in quotes is expected") }
            let key = try string()
            guard skip(":") else { throw error("a colon is expected after \"\(key)\"") }
            members.append(JSON.Member(key: key, value: try value(depth: depth)))
        } while skip(",")
        guard skip("}") else { throw error("a comma or } is expected") }
        return members
    }

    private mutating func elements(depth: Int) throws(JSONError) -> [JSON] {
        var elements: [JSON] = []
        position += 1
        guard !skip("]") else { return elements }
        repeat { elements.append(try value(depth: depth)) } while skip(",")
        guard skip("]") else { throw error("a comma or ] is expected") }
        return elements
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        for byte in "\(word)".utf8 {
            guard next == byte else { throw error("a value is expected") }
            position += 1
        }
        return value
    }

    private mutating func number() throws(JSONError) -> JSON {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        guard position > start else { throw error("a digit is expected") }
    }

    private mutating func string() throws(JSONError) -> String {
        var content: [UInt8] = []
        position += 1
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"): content += Array(String(try escape()).utf8)
            case 0..<0x20: throw error("a control character inside a string; write it as \\u00XX")
            default: content.append(byte)
            }
        }
        throw error("a string that does not end")
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let letter = next
        position += 1
        switch letter {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter ?? 0)
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw error("an escape that JSON does not have")
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, next == UInt8(ascii: "\\") else { throw error("half of a surrogate pair") }
        position += 1
        guard next == UInt8(ascii: "u") else { throw error("half of a surrogate pair") }
        position += 1
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw error("half of a surrogate pair") }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hexadecimal digits are expected after \\u")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Step over a sign, if it comes next.
    private mutating func skip(_ sign: Unicode.Scalar) -> Bool {
        skipSpace()
        guard let byte = next, Unicode.Scalar(byte) == sign else { return false }
        position += 1
        return true
    }

    private func error(_ message: String) -> JSONError {
        let line = 1 + bytes.prefix(position).count { $0 == UInt8(ascii: "\n") }
        return JSONError(message: "line \(line): not JSON: \(message)")
    }
}
