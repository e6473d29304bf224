import MAMSupport
import Testing

private func xml(_ inside: String, type: String = "") -> [UInt8] {
    Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(type)<plist version=\"1.0\">\(inside)</plist>\n".utf8)
}

/// A binary property list with these objects, the last of which is its root.
private func binary(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
        offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
        bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 2]
    for number in [objects.count, objects.count - 1, table] {
        bytes += (0..<8).reversed().map { UInt8(number >> ($0 * 8) & 255) }
    }
    return bytes
}

private func array(_ references: [Int]) -> [UInt8] {
    [UInt8(0xA0 + references.count)] + references.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
}

@Suite("property lists")
struct PropertyListTests {
    private static let refused = MAMError(.argument, "")

    @Test("gives every value with its type")
    func values() throws {
        let list = try PropertyList(
            parsing: xml(
                """
                <dict><!-- a comment --><key>a&amp;b</key><array><true/><false/><integer>-7</integer><real>1.5</real>
                <string>ä&#228;<![CDATA[<]]></string><date>2026-11-21T00:00:00Z</date><data>aGk=</data></array>
                <key>empty</key><dict/></dict>
                """,
                type: "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://x/PropertyList-1.0.dtd\">\n"))
        let elements = try #require(list["a&b"]?.array)
        let types = elements.map(\.typeName)
        #expect(types == ["boolean", "boolean", "integer", "real", "string", "date", "data"])
        #expect(elements[..<5].map { $0.json?.text } == ["true", "false", "-7", "1.5", "\"ää<\""])
        #expect(elements[5].json == nil)
        #expect(list["empty"]?.json?.text == "{}")
    }

    @Test("reads binary lists")
    func binaryValues() throws {
        let list = try PropertyList(parsing: binary([[0x09], [0x10, 7], [0x52, 0x68, 0x69], array([0, 1, 2])]))
        #expect(list.json?.text == "[true,7,\"hi\"]")
    }

    @Test(
        "refuses what is not XML, or not a property list",
        arguments: [
            "", "<true/>", "<plist><true/>", "<plist><dict></plist>", "<plist><true/></plist><true/>",
            "<plist><string>a</plist>", "<plist><key>a<string/></key></plist>", "<plist><note/></plist>",
            "<plist>text</plist>", "<plist><integer>seven</integer></plist>", "<plist><integer/></plist>",
            "<plist><integer>9223372036854775808</integer></plist>", "<plist><real>1,5</real></plist>",
            "<plist><real>1e999</real></plist>", "<plist><true>x</true></plist>",
            "<plist><string>&lol;</string></plist>", "<plist><string>&#0;</string></plist>",
            "<plist><string>&amp</string></plist>", "<plist><true a=\"<\"/></plist>", "<plist><!-- -- --></plist>",
            "<plist><!--><true/></plist>", "<plist><!ENTITY a \"b\"></plist>",
            "<!DOCTYPE plist [<!ENTITY a \"lol\">]><plist><string>&a;</string></plist>",
            "<!DOCTYPE plist [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><plist><string>&a;</string></plist>",
            "<plist><string>", "<", "<plist", "<!--", "<?", "{ a = b; }",
        ])
    func refusesXML(_ text: String) {
        #expect(throws: Self.refused) { try PropertyList(parsing: Array(text.utf8)) }
    }

    @Test(
        "refuses XML with a NUL, and text that is not UTF-8",
        arguments: [[0x00], [0xFF], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func refusesBytes(_ bytes: [UInt8]) {
        let list = xml("<string>x</string>").split(separator: UInt8(ascii: "x"), omittingEmptySubsequences: false)
        #expect(throws: Self.refused) { try PropertyList(parsing: Array(list.joined(separator: bytes))) }
    }

    @Test("refuses too much depth and too many values before anything is parsed")
    func bounds() {
        for depth in [65, 50_000] {
            let deep = String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
            #expect(throws: Self.refused) { try PropertyList(parsing: xml(deep)) }
        }
        #expect(throws: Self.refused) { try PropertyList(parsing: xml(String(repeating: "<true/>", count: 70_000))) }
    }

    @Test("refuses a key that a dictionary has twice")
    func twice() {
        #expect(throws: Self.refused) {
            try PropertyList(parsing: xml("<dict><key>a</key><true/><key>&#97;</key><false/></dict>"))
        }
    }

    @Test("refuses binary lists that point outside, hold themselves, or are small only because they share")
    func refusesBinary() {
        let leaf: [UInt8] = [0x09]
        var bomb = [leaf]
        for level in 0..<40 { bomb.append(array([level, level])) }
        var deep = [leaf]
        for level in 0..<64 { deep.append(array([level])) }
        let long: [UInt8] = [0x5F, 0x11, 0x7F, 0xFF] + Array(repeating: 0x61, count: 0x7FFF)
        var texts = [long]
        for level in 0..<12 { texts.append(array([level, level, level, level])) }
        let cases: [[[UInt8]]] = [
            [array([0])], [array([1]), array([0])], [leaf, array([7])], bomb, deep, texts,
            [[0x5F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], [[0x6F, 0x10, 0xFF]], [[0x5A, 0x61]],
            [[0x52, 0x61, 0x00]], [[0x51, 0xE4]], [[0x61, 0xD8, 0x00]], [[0x61, 0xDC, 0x00]], [[0xF0]], [[0x17]],
            [leaf, [0xD1, 0, 0, 0, 0]], [leaf, [0xDF, 0x12, 0x7F, 0xFF, 0xFF, 0xFF]],
        ]
        for objects in cases {
            #expect(throws: Self.refused, "\(objects.last ?? [])") { try PropertyList(parsing: binary(objects)) }
        }
    }

    @Test("refuses a binary list cut anywhere")
    func cut() {
        let whole = binary([[0x09], [0x52, 0x68, 0x69], array([0, 1])])
        for length in 6..<whole.count {
            #expect(throws: Self.refused, "\(length)") { try PropertyList(parsing: Array(whole[..<length])) }
        }
    }
}
