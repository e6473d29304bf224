/// Reads an XML property list. Iterative, because the caller's stack may be small.
struct XMLPropertyListReader {
    /// An array or dictionary with more in it.
    private struct Open {
        let token: XMLTokenizer.Token
        let isDictionary: Bool
        /// Where it begins with its key.
        let member: Int
        var elements: [PropertyList] = []
        var members: [PropertyList.Member] = []
        /// The key of the next value, and where it begins.
        var key: (text: String, start: Int)?

        var wantsKey: Bool { isDictionary && key == nil }

        mutating func add(_ value: PropertyList) {
            guard let key else { return elements.append(value) }
            members.append((key.text, value))
            self.key = nil
        }
    }

    private let bytes: [UInt8]
    private var xml: XMLTokenizer
    private var values = 0
    private var open: [Open] = []

    static func read(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyList {
        guard bytes.contains(where: { !$0.isXMLSpace }) else { throw PropertyListError("is empty") }
        do throws(XMLError) {
            var reader = XMLPropertyListReader(bytes: bytes, xml: try XMLTokenizer(bytes))
            return try reader.document()
        } catch {
            throw PropertyListError(error, in: bytes)
        }
    }

    private func error(_ message: String, _ token: XMLTokenizer.Token) -> XMLError {
        XMLError(message: message, offset: token.range.lowerBound)
    }

    private mutating func document() throws(XMLError) -> PropertyList {
        let root = try tag()
        guard name(root) == "plist" else { throw error("the root must be <plist>", root) }
        guard root.kind == .start, let value = try value() else { throw error("it holds no value", root) }
        let end = try tag()
        guard end.kind == .end else { throw error("an element out of place", end) }
        while try xml.next() != nil {}
        return value
    }

    private func name(_ token: XMLTokenizer.Token) -> String { String(decoding: bytes[token.name], as: UTF8.self) }

    /// The next tag. Only white space may come before it, and comments.
    private mutating func tag() throws(XMLError) -> XMLTokenizer.Token {
        while let token = try xml.next() {
            switch token.kind {
            case .start, .empty, .end: return token
            case .text where token.content.allSatisfy({ bytes[$0].isXMLSpace }), .other: continue
            case .text, .section: throw error("text out of place", token)
            }
        }
        throw XMLError(message: "it ends too early", offset: bytes.count)
    }

    /// The value that comes next; nil if there is none before the end of the root.
    private mutating func value() throws(XMLError) -> PropertyList? {
        repeat {
            let next = try tag()
            var value: PropertyList?
            if next.kind == .end {
                guard let last = open.popLast() else { return nil }
                value = try close(last, next)
            } else if open.last?.wantsKey == true {
                try beginMember(next)
            } else {
                value = try begin(next)
            }
            guard let value else { continue }
            guard !open.isEmpty else { return value }
            open[open.count - 1].add(value)
        } while true
    }

    /// Read the key of a dictionary's next member.
    private mutating func beginMember(_ token: XMLTokenizer.Token) throws(XMLError) {
        guard name(token) == "key" else { throw error("a value without a key", token) }
        try admit(token)
        var end = token.range.upperBound
        open[open.count - 1].key = (try text(token, end: &end), token.range.lowerBound)
    }

    /// The value that begins with a tag; nil for a container with more in it.
    private mutating func begin(_ token: XMLTokenizer.Token) throws(XMLError) -> PropertyList? {
        try admit(token)
        let kind: PropertyList.Kind
        var end = token.range.upperBound
        switch name(token) {
        case "dict", "array":
            let container = Open(token: token, isDictionary: name(token) == "dict", member: memberStart(token))
            if token.kind == .empty { return try close(container, token) }
            open.append(container)
            return nil
        case "string": kind = .string(try text(token, end: &end))
        case "integer": kind = .integer(try integer(text(token, end: &end), token))
        case "real": kind = .real(try real(text(token, end: &end), token))
        case "true", "false":
            guard try trimmed(text(token, end: &end)).isEmpty else { throw error("text out of place", token) }
            kind = .boolean(name(token) == "true")
        case "date":
            _ = try text(token, end: &end)
            kind = .date
        case "data":
            _ = try text(token, end: &end)
            kind = .data
        case "key", "plist": throw error("an element out of place", token)
        default: throw error("\"\(name(token).prefix(80))\" is no element of property lists", token)
        }
        return PropertyList(kind, source: source(token, member: memberStart(token), end: end))
    }

    private func close(_ container: Open, _ end: XMLTokenizer.Token) throws(XMLError) -> PropertyList {
        guard container.key == nil else { throw error("a key without a value", end) }
        guard JSONReader.repeatedKey(container.members.map(\.key)) == nil else {
            throw error("a dictionary has a key twice", container.token)
        }
        return PropertyList(
            container.isDictionary ? .dictionary(container.members) : .array(container.elements),
            source: source(container.token, member: container.member, end: end.range.upperBound))
    }

    /// Where the item that begins with a value's tag begins: at its key, if it has one.
    private func memberStart(_ token: XMLTokenizer.Token) -> Int { open.last?.key?.start ?? token.range.lowerBound }

    private func source(_ token: XMLTokenizer.Token, member: Int, end: Int) -> PropertyList.Source {
        PropertyList.Source(value: token.range.lowerBound..<end, member: member..<end)
    }

    /// Check a tag's attributes, and count the value or key that it begins. Keys count, as they do in binary lists.
    private mutating func admit(_ token: XMLTokenizer.Token) throws(XMLError) {
        guard token.content.allSatisfy({ bytes[$0].isXMLSpace }) else { throw error("an attribute", token) }
        values += 1
        guard values <= PropertyList.maximumCount else {
            throw error("it has more than \(PropertyList.maximumCount) values and keys", token)
        }
    }

    /// The characters of an element that has no others in it.
    private mutating func text(_ token: XMLTokenizer.Token, end: inout Int) throws(XMLError) -> String {
        var text: [UInt8] = []
        guard token.kind == .start else { return "" }
        while let next = try xml.next() {
            switch next.kind {
            case .text: try XMLTokenizer.characters(of: next.content, in: bytes) { byte, _ in text.append(byte) }
            case .section: text += bytes[next.content]
            case .other: continue
            case .start, .empty: throw error("an element out of place", next)
            case .end:
                end = next.range.upperBound
                return String(decoding: text, as: UTF8.self)
            }
        }
        return ""
    }

    // MARK: Numbers

    private func trimmed(_ text: String) -> Substring {
        let isSpace = { (c: Character) in c.isASCII && c.isWhitespace }
        let tail = text.drop(while: isSpace)
        guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return "" }
        return tail[...last]
    }

    private func integer(_ text: String, _ token: XMLTokenizer.Token) throws(XMLError) -> Int64 {
        let digits = trimmed(text)
        let isHexadecimal = digits.utf8.starts(with: "0x".utf8) || digits.utf8.starts(with: "0X".utf8)
        guard let number = isHexadecimal ? Int64(digits.dropFirst(2), radix: 16) : Int64(digits) else {
            throw error("\"\(text.prefix(80))\" is no whole number of 64 bits", token)
        }
        return number
    }

    private func real(_ text: String, _ token: XMLTokenizer.Token) throws(XMLError) -> Double {
        guard let number = Double(trimmed(text)), number.isFinite else {
            throw error("\"\(text.prefix(80))\" is no number", token)
        }
        return number
    }
}
