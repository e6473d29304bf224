/// One pass over JSON text that refuses what RFC 8259 refuses and what is unsafe to hand to any parser: too deep,
/// too large, invalid UTF-8, lone surrogates, NUL inside strings, numbers out of range. json-c alone accepts much more.
struct JSONScanner {
    /// Deepest nesting.
    static let maximumDepth = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0
    private var facts = Facts()

    /// What json-c needs to know, or gets wrong.
    struct Facts {
        /// Keys, repeated ones included.
        var keys = 0
        /// The deepest nesting.
        var depth = 0
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Check the whole text.
    static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws(MAMError) -> Facts {
        var scanner = JSONScanner(bytes)
        scanner.skipSpace()
        try scanner.value(depth: 0)
        scanner.skipSpace()
        if scanner.at < bytes.count { throw scanner.error("there is more after the value") }
        return scanner.facts
    }

    private func error(_ what: String) -> MAMError {
        MAMError(.json, "not valid JSON: \(what) at byte \(at)", [("offset", .integer(Int64(at)))])
    }

    private func peek() -> UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func value(depth: Int) throws(MAMError) {
        guard depth < JSONScanner.maximumDepth else {
            throw error("nested deeper than \(JSONScanner.maximumDepth) levels")
        }
        if depth > facts.depth { facts.depth = depth }
        guard let first = peek() else { throw error("the text ends where a value should be") }
        switch first {
        case UInt8(ascii: "{"): try object(depth: depth)
        case UInt8(ascii: "["): try array(depth: depth)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw error("unexpected character")
        }
    }

    private mutating func object(depth: Int) throws(MAMError) {
        try items(until: UInt8(ascii: "}"), "brace") { (scanner) throws(MAMError) in
            guard scanner.peek() == UInt8(ascii: "\"") else { throw scanner.error("a key in double quotes is missing") }
            try scanner.string()
            scanner.facts.keys += 1
            scanner.skipSpace()
            guard scanner.peek() == UInt8(ascii: ":") else { throw scanner.error("a colon is missing") }
            scanner.at += 1
            scanner.skipSpace()
            try scanner.value(depth: depth + 1)
        }
    }

    private mutating func array(depth: Int) throws(MAMError) {
        try items(until: UInt8(ascii: "]"), "bracket") { (scanner) throws(MAMError) in
            try scanner.value(depth: depth + 1)
        }
    }

    /// None, or items with commas between, up to the closing character.
    private mutating func items(
        until end: UInt8, _ name: String, _ item: (inout JSONScanner) throws(MAMError) -> Void
    ) throws(MAMError) {
        at += 1
        skipSpace()
        if peek() == end {
            at += 1
            return
        }
        while true {
            try item(&self)
            skipSpace()
            switch peek() {
            case UInt8(ascii: ","):
                at += 1
                skipSpace()
            case end:
                at += 1
                return
            default: throw error("a comma or closing \(name) is missing")
            }
        }
    }

    private mutating func word(_ word: StaticString) throws(MAMError) {
        for i in 0..<word.utf8CodeUnitCount {
            guard peek() == word.withUTF8Buffer({ $0[i] }) else { throw error("unexpected word") }
            at += 1
        }
    }

    private mutating func digits() throws(MAMError) {
        let start = at
        while let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { at += 1 }
        if at == start { throw error("a digit is missing") }
    }

    private mutating func number() throws(MAMError) {
        let start = at
        if peek() == UInt8(ascii: "-") { at += 1 }
        if peek() == UInt8(ascii: "0") {
            at += 1
            if let byte = peek(), byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                throw error("a number begins with 0")
            }
        } else {
            try digits()
        }
        let wholeEnd = at
        var isInteger = true
        if peek() == UInt8(ascii: ".") {
            isInteger = false
            at += 1
            try digits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            at += 1
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
        if isInteger {
            let text = bytes[start..<wholeEnd]
            if text.count > 18, Int64(String(decoding: text, as: UTF8.self)) == nil {
                throw error("a number does not fit 64 bits")
            }
        } else {
            let text = bytes[start..<at]
            guard text.count <= 64, let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
                throw error("a number is out of range")
            }
        }
    }

    private mutating func string() throws(MAMError) {
        at += 1
        while true {
            guard let byte = peek() else { throw error("the text ends inside a string") }
            switch byte {
            case UInt8(ascii: "\""):
                at += 1
                return
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw error("a control character stands in a string")
            case 0x80...: try multibyte(byte)
            default: at += 1
            }
        }
    }

    private mutating func escape() throws(MAMError) {
        at += 1
        switch peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
        case UInt8(ascii: "u"):
            at += 1
            let unit = try hexadecimal()
            guard unit != 0 else { throw error("a string holds NUL") }
            guard unit & 0xFC00 != 0xDC00 else { throw error("a lone surrogate") }
            if unit & 0xFC00 == 0xD800 {
                guard peek() == UInt8(ascii: "\\") else { throw error("a lone surrogate") }
                at += 1
                guard peek() == UInt8(ascii: "u") else { throw error("a lone surrogate") }
                at += 1
                guard try hexadecimal() & 0xFC00 == 0xDC00 else { throw error("a lone surrogate") }
            }
        default: throw error("an unknown escape")
        }
    }

    private mutating func hexadecimal() throws(MAMError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek() else { throw error("the text ends inside an escape") }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: throw error("an escape with a wrong digit")
            }
            at += 1
        }
        return value
    }

    private mutating func multibyte(_ first: UInt8) throws(MAMError) {
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
        at += 1
        for _ in 0..<count {
            guard let byte = peek(), byte >= low, byte <= high else { throw error("invalid UTF-8") }
            (low, high) = (0x80, 0xBF)
            at += 1
        }
    }
}
