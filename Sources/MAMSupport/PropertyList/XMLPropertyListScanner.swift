/// Validates an XML property list in one pass. Refuses what is unsafe for libplist or misread by it: too much depth, entity
/// declarations, malformed numbers. Tags, comments and sections end here where they end for libplist, so that neither parser skips
/// what the other one reads.
struct XMLPropertyListScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0
    /// The names of the open elements.
    private var open: [ArraySlice<UInt8>] = []
    private var values = 0
    private var keys = 0
    private var references = 0
    private var hasEnded = false
    private var text: [UInt8] = []

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Validate a whole list. Returns the number of keys.
    static func check(_ bytes: UnsafeBufferPointer<UInt8>) throws(MAMError) -> Int {
        // XML allows no control characters but tab, line feed and carriage return.
        guard isUTF8(UnsafeRawBufferPointer(bytes)), bytes.allSatisfy({ $0 >= 0x20 || [9, 10, 13].contains($0) }) else {
            throw MAMError(.argument, "is no property list: neither binary nor XML in UTF-8")
        }
        var scan = XMLPropertyListScanner(bytes)
        while scan.at < bytes.count { try scan.step() }
        guard scan.hasEnded else { throw scan.refused("it ends too early") }
        return scan.keys
    }

    private func refused(_ what: String) -> MAMError {
        let line = bytes[..<min(at, bytes.count)].count { $0 == 0x0A } + 1
        return MAMError(
            .argument, "is not a valid XML property list: \(what), in line \(line)", [("line", .integer(Int64(line)))])
    }

    private mutating func step() throws(MAMError) {
        guard bytes[at] == UInt8(ascii: "<") else { return try characters() }
        if follows("<!--") { return try comment() }
        if follows("<![CDATA[") { return try section() }
        if follows("<?") { return try instruction() }
        if follows("<!DOCTYPE") { return try documentType() }
        if follows("<!") { throw refused("a declaration") }
        try tag()
    }

    private func follows(_ word: StaticString) -> Bool {
        guard bytes.count - at >= word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in word.indices.allSatisfy { bytes[at + $0] == word[$0] } }
    }

    private mutating func skip(to word: StaticString, _ what: String) throws(MAMError) {
        while at < bytes.count {
            if follows(word) {
                at += word.utf8CodeUnitCount
                return
            }
            at += 1
        }
        throw refused("\(what) has no end")
    }

    // MARK: Skipped markup

    private mutating func comment() throws(MAMError) {
        at += 4
        guard !follows(">"), !follows("->") else { throw refused("a comment that ends where it begins") }
        while !follows("--") {
            guard at < bytes.count else { throw refused("a comment has no end") }
            at += 1
        }
        guard follows("-->") else { throw refused("two hyphens in a comment") }
        at += 3
    }

    private mutating func instruction() throws(MAMError) {
        at += 2
        guard open.isEmpty, at < bytes.count, bytes[at] != UInt8(ascii: ">") else {
            throw refused("an instruction out of place")
        }
        try skip(to: "?>", "an instruction")
    }

    /// Skip a document type without internal declarations, such as Apple's.
    private mutating func documentType() throws(MAMError) {
        guard open.isEmpty, !hasEnded, values == 0 else { throw refused("a document type out of place") }
        at += 9
        while at < bytes.count, bytes[at] != UInt8(ascii: ">") {
            guard bytes[at] != UInt8(ascii: "["), bytes[at] != UInt8(ascii: "<") else {
                throw refused("declarations in the document type, such as entities, are not read")
            }
            at += 1
        }
        guard at < bytes.count else { throw refused("the document type has no end") }
        at += 1
    }

    // MARK: Text

    private mutating func section() throws(MAMError) {
        guard let last = open.last, XMLPropertyListScanner.isLeaf(last) else { throw refused("text out of place") }
        at += 9
        let start = at
        try skip(to: "]]>", "a CDATA section")
        text += bytes[start..<(at - 3)]
    }

    private mutating func characters() throws(MAMError) {
        let isIn = open.last.map(XMLPropertyListScanner.isLeaf) ?? false
        while at < bytes.count, bytes[at] != UInt8(ascii: "<") {
            let byte = bytes[at]
            let isSpace = byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D
            guard isIn || isSpace else { throw refused("text out of place") }
            if byte == UInt8(ascii: "&") {
                try reference()
            } else {
                text.append(byte)
                at += 1
            }
        }
    }

    /// Scan a predefined entity or a character reference.
    private mutating func reference() throws(MAMError) {
        // libplist moves the rest of the text for each one.
        references += 1
        guard references <= PropertyList.maximumReferences else {
            throw MAMError(.argument, "has more than \(PropertyList.maximumReferences) references to characters")
        }
        let start = at + 1
        while at < bytes.count, bytes[at] != UInt8(ascii: ";"), at - start < 12 { at += 1 }
        guard at < bytes.count, bytes[at] == UInt8(ascii: ";") else { throw refused("a reference has no end") }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        at += 1
        if ["amp", "lt", "gt", "quot", "apos"].contains(name) { return text.append(UInt8(ascii: "?")) }
        let digits = name.dropFirst()
        let isHexadecimal = digits.utf8.first == UInt8(ascii: "x")
        guard name.utf8.first == UInt8(ascii: "#"),
            let number = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10),
            number >= 0x20 || number == 9 || number == 10 || number == 13, Unicode.Scalar(number) != nil
        else { throw refused("a reference that is none of XML's own") }
        text.append(UInt8(ascii: "?"))
    }

    // MARK: Elements

    private static func isLeaf(_ name: ArraySlice<UInt8>) -> Bool {
        !["plist", "dict", "array"].contains { name.elementsEqual($0.utf8) }
    }

    private mutating func tag() throws(MAMError) {
        let start = at + 1
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: ">") {
            guard bytes[at] != UInt8(ascii: "<") else { throw refused("a tag has no end") }
            at += 1
        }
        guard at < bytes.count else { throw refused("a tag has no end") }
        let inside = Array(bytes[start..<at])
        at += 1
        guard let first = inside.first else { throw refused("a tag without a name") }
        if first == UInt8(ascii: "/") { return try close(inside[1...]) }
        let isEmpty = inside.last == UInt8(ascii: "/")
        let rest = isEmpty ? inside.dropLast() : inside[...]
        let name = rest.prefix { $0 > 0x20 }
        guard name.elementsEqual("plist".utf8) || rest[name.endIndex...].allSatisfy({ $0 <= 0x20 }) else {
            throw refused("an attribute")
        }
        try begin(name)
        if isEmpty { try close(name) }
    }

    private mutating func begin(_ name: ArraySlice<UInt8>) throws(MAMError) {
        guard XMLPropertyListScanner.names.contains(where: { name.elementsEqual($0.utf8) }) else {
            throw refused(
                "\(MessageText.quoted(String(decoding: name, as: UTF8.self))) is no element of property lists")
        }
        let isRoot = name.elementsEqual("plist".utf8)
        guard !hasEnded, isRoot == open.isEmpty, !(open.last.map(XMLPropertyListScanner.isLeaf) ?? false) else {
            throw refused("an element out of place")
        }
        // The root element is not a level of the list.
        guard open.count <= PropertyList.maximumDepth else {
            throw MAMError(.argument, "is nested deeper than \(PropertyList.maximumDepth) levels")
        }
        values += 1
        guard values <= PropertyList.maximumCount else {
            throw MAMError(.argument, "has more than \(PropertyList.maximumCount) values")
        }
        if name.elementsEqual("key".utf8) { keys += 1 }
        open.append(name)
        text.removeAll(keepingCapacity: true)
    }

    private mutating func close(_ tag: ArraySlice<UInt8>) throws(MAMError) {
        let name = tag.prefix { $0 > 0x20 }
        guard tag[name.endIndex...].allSatisfy({ $0 <= 0x20 }), let last = open.popLast(), last.elementsEqual(name)
        else { throw refused("an end that nothing began") }
        let content = String(decoding: text, as: UTF8.self)
        switch String(decoding: name, as: UTF8.self) {
        case "integer":
            guard XMLPropertyListScanner.isInteger(content) else {
                throw refused("\(MessageText.quoted(content)) is no whole number of 64 bits")
            }
        case "real":
            guard Double(XMLPropertyListScanner.trimmed(content))?.isFinite == true else {
                throw refused("\(MessageText.quoted(content)) is no number")
            }
        case "true", "false":
            guard XMLPropertyListScanner.trimmed(content).isEmpty else { throw refused("text out of place") }
        default: break
        }
        text.removeAll(keepingCapacity: true)
        if open.isEmpty { hasEnded = true }
    }

    private static let names = [
        "plist", "dict", "array", "key", "string", "integer", "real", "true", "false", "date", "data",
    ]

    private static func trimmed(_ text: String) -> Substring {
        let isSpace = { (c: Character) in c.isWhitespace && c.isASCII }
        let tail = text.drop(while: isSpace)
        guard let last = tail.lastIndex(where: { !isSpace($0) }) else { return "" }
        return tail[...last]
    }

    private static func isInteger(_ text: String) -> Bool {
        let text = trimmed(text)
        let isHexadecimal = text.utf8.starts(with: "0x".utf8) || text.utf8.starts(with: "0X".utf8)
        return (isHexadecimal ? Int64(text.dropFirst(2), radix: 16) : Int64(text)) != nil
    }
}
