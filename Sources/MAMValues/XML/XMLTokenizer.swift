/// Splits XML into tags, text and the rest, in one pass and without a tree.
///
/// Checks that tags match and that there is one root. Resolves nothing: what declares entities is refused, so no text is larger than the
/// file, and no other file is read. Also refused are text that is not UTF-8, and more than 64 levels below the root.
public struct XMLTokenizer {
    /// A piece of the text. The pieces follow each other without a gap.
    public struct Token: Sendable {
        /// The kind of a piece.
        public enum Kind: Sendable {
            /// `<name attributes>`
            case start
            /// `<name attributes/>`
            case empty
            /// `</name>`
            case end
            /// Characters, with references such as `&amp;`.
            case text
            /// `<![CDATA[content]]>`
            case section
            /// A comment, an instruction or the document type.
            case other
        }

        /// The kind.
        public let kind: Kind
        /// All of the piece.
        public let range: Range<Int>
        /// The name of a tag; else empty.
        public let name: Range<Int>
        /// The attributes of a tag, the characters of a text or section; else empty.
        public let content: Range<Int>
    }

    /// The deepest nesting below the root.
    static let maximumDepth = 64

    private let bytes: [UInt8]
    private var position: Int
    /// The names of the open elements.
    private var open: [Range<Int>] = []
    private var hasEnded = false

    /// Begin with a text. A byte order mark is skipped.
    public init(_ bytes: [UInt8]) throws(XMLError) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard !bytes.starts(with: [0xFE, 0xFF]), !bytes.starts(with: [0xFF, 0xFE]) else {
            throw XMLError(message: "it is UTF-16; save it as UTF-8", offset: 0)
        }
        // XML allows no control characters but tab, line feed and carriage return.
        if let control = bytes.firstIndex(where: { $0 < 0x20 && ![9, 10, 13].contains($0) }) {
            throw XMLError(message: "it holds a control character", offset: control)
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw XMLError(message: "it is not UTF-8", offset: 0)
        }
    }

    /// The next piece; nil at the end.
    public mutating func next() throws(XMLError) -> Token? {
        guard position < bytes.count else {
            guard hasEnded, open.isEmpty else { throw error("it ends too early") }
            return nil
        }
        guard bytes[position] == UInt8(ascii: "<") else { return try text() }
        if follows("<!--") { return try comment() }
        if follows("<![CDATA[") { return try section() }
        if follows("<?") { return try instruction() }
        if follows("<!DOCTYPE") { return try documentType() }
        if follows("<!") { throw error("a declaration") }
        return try tag()
    }

    func error(_ message: String) -> XMLError { XMLError(message: message, offset: position) }

    // MARK: The rest

    private func follows(_ word: String) -> Bool { bytes[position...].starts(with: word.utf8) }

    /// Move behind a word, from which the piece that began at `start` ends.
    private mutating func skip(past word: String, _ what: String) throws(XMLError) {
        let first = word.utf8.first
        while position < bytes.count {
            if bytes[position] == first, follows(word) {
                position += word.utf8.count
                return
            }
            position += 1
        }
        throw error("\(what) has no end")
    }

    private func piece(_ kind: Token.Kind, from start: Int, content: Range<Int>? = nil) -> Token {
        Token(kind: kind, range: start..<position, name: start..<start, content: content ?? start..<start)
    }

    private mutating func comment() throws(XMLError) -> Token {
        let start = position
        position += 4
        guard !follows(">"), !follows("->") else { throw error("a comment that ends where it begins") }
        try skip(past: "--", "a comment")
        guard follows(">") else { throw error("two hyphens in a comment") }
        position += 1
        return piece(.other, from: start)
    }

    private mutating func instruction() throws(XMLError) -> Token {
        let start = position
        try skip(past: "?>", "an instruction")
        if bytes[start..<position].starts(with: "<?xml".utf8) { try checkEncoding(start..<position) }
        return piece(.other, from: start)
    }

    /// Refuse a declared encoding that reads the bytes as other characters than UTF-8 does.
    private func checkEncoding(_ declaration: Range<Int>) throws(XMLError) {
        let words = String(decoding: bytes[declaration], as: UTF8.self).lowercased()
            .split { " \t\r\n=\"'?".contains($0) }
        guard let at = words.firstIndex(of: "encoding"), at + 1 < words.count else { return }
        let name = words[at + 1]
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) || bytes.allSatisfy({ $0 < 0x80 }) else {
            throw error("it declares the encoding \(name.prefix(40)); save it as UTF-8")
        }
    }

    /// A document type without declarations of its own, such as Apple's.
    private mutating func documentType() throws(XMLError) -> Token {
        guard open.isEmpty, !hasEnded else { throw error("a document type out of place") }
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            guard bytes[position] != UInt8(ascii: "["), position == start || bytes[position] != UInt8(ascii: "<") else {
                throw error("declarations in the document type, such as entities, are not read")
            }
            position += 1
        }
        guard position < bytes.count else { throw error("the document type has no end") }
        position += 1
        return piece(.other, from: start)
    }

    // MARK: Text

    private mutating func section() throws(XMLError) -> Token {
        guard !open.isEmpty else { throw error("text out of place") }
        let start = position
        try skip(past: "]]>", "a CDATA section")
        return piece(.section, from: start, content: (start + 9)..<(position - 3))
    }

    private mutating func text() throws(XMLError) -> Token {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
            guard !open.isEmpty || bytes[position].isXMLSpace else { throw error("text out of place") }
            position += 1
        }
        return piece(.text, from: start, content: start..<position)
    }

    // MARK: Tags

    private mutating func tag() throws(XMLError) -> Token {
        let start = position
        position += 1
        let isEnd = follows("/")
        if isEnd { position += 1 }
        let nameStart = position
        while position < bytes.count, isInName(bytes[position]) { position += 1 }
        let name = nameStart..<position
        guard !name.isEmpty else { throw error("a tag without a name") }
        let content = try attributes()
        let isEmpty = follows("/")
        position += isEmpty ? 2 : 1
        let token = Token(
            kind: isEnd ? .end : isEmpty ? .empty : .start, range: start..<position, name: name, content: content)
        if isEnd {
            guard !isEmpty, content.allSatisfy({ bytes[$0].isXMLSpace }) else { throw error("an end with attributes") }
            try close(name)
        } else {
            try begin(name, isEmpty: isEmpty)
        }
        return token
    }

    private func isInName(_ byte: UInt8) -> Bool {
        !byte.isXMLSpace
            && ![
                UInt8(ascii: "/"), UInt8(ascii: ">"), UInt8(ascii: "<"), UInt8(ascii: "="), UInt8(ascii: "\""),
                UInt8(ascii: "'"),
            ].contains(byte)
    }

    /// Move to the `>` or `/>` of a tag. A quoted value may hold either.
    private mutating func attributes() throws(XMLError) -> Range<Int> {
        let start = position
        var quote: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "<") { break }
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") || follows("/>") {
                return start..<position
            }
            position += 1
        }
        throw error("a tag has no end")
    }

    private mutating func begin(_ name: Range<Int>, isEmpty: Bool) throws(XMLError) {
        guard !hasEnded else { throw error("an element out of place") }
        guard open.count <= XMLTokenizer.maximumDepth else {
            throw error("it is nested deeper than \(XMLTokenizer.maximumDepth) levels")
        }
        if !isEmpty { open.append(name) } else if open.isEmpty { hasEnded = true }
    }

    private mutating func close(_ name: Range<Int>) throws(XMLError) {
        guard let last = open.popLast(), bytes[last].elementsEqual(bytes[name]) else {
            throw error("an end that nothing began")
        }
        if open.isEmpty { hasEnded = true }
    }
}

extension UInt8 {
    /// White space of XML.
    public var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
