import MAMSupport
import Testing

@Suite("JSON")
struct JSONTests {
    @Test(
        "refuses text that RFC 8259 refuses or that is unsafe to parse",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\":1,}", "{'a':1}", "{a:1}", "[01]", "[+1]", "[.5]", "[1.]", "[1e]", "nul",
            "truex", "[1] 2",
            "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\u0000\"", "\"a\nb\"", "[NaN]",
            "[Infinity]", "[-]",
            "[99999999999999999999]", "[1e999]", "{\"a\":1,\"a\":2}", "[{\"b\":{\"a\":1,\"a\":1}}]", "// c\n1",
            "{\"a\":1,\"\\u0061\":2}", "[9223372036854775808]", "[-9223372036854775809]", "\"\\ud800\\ue000\"",
            "\"\\u12g4\"",
            "\"\\u12", "\"\\", "\"\u{1F}\"", "[1 2]", "{\"a\":1 \"b\":2}", "[,1]", "{,}", "[1,", "{\"a\":1,", "tru",
            "[-01]",
            "/* c */1", "[1\u{0}]",
            "{\"a\"}", "{\"a\":}", "{1:2}", "\u{FEFF}1",
        ])
    func refuses(_ text: String) {
        #expect(throws: MAMError(.json, "")) { try JSON(parsing: text) }
    }

    @Test(
        "refuses invalid UTF-8",
        arguments: [
            [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3], [0x80], [0xFF],
        ] as [[UInt8]])
    func refusesBytes(_ bytes: [UInt8]) {
        #expect(throws: MAMError(.json, "")) { try JSON(parsing: [0x22] + bytes + [0x22]) }
    }

    @Test(
        "writes the text that it read, numbers to the letter",
        arguments: [
            "null", "true", "0", "-1", "9223372036854775807", "-9223372036854775808", "1.0", "1e3", "-0.00", "1.50e-7",
            "\"\"",
            "\"a\\\"b\\\\c\\n\\t\\u001f\"", "\"ä€😀\"", "[]", "{}", "[1,[2,[3]],{\"z\":1,\"a\":2}]",
            "{\"\":{\"b\":null}}",
        ])
    func roundTrip(_ text: String) throws {
        #expect(try JSON(parsing: text).text == text)
    }

    @Test func depthIsBounded() throws {
        func nested(_ n: Int) -> String { String(repeating: "[", count: n) + String(repeating: "]", count: n) }
        _ = try JSON(parsing: nested(64))
        #expect(throws: MAMError(.json, "")) { try JSON(parsing: nested(65)) }
        #expect(throws: MAMError(.json, "")) { try JSON(parsing: String(repeating: "[", count: 1_000_000)) }
    }

    @Test func lengthIsBounded() throws {
        #expect(throws: MAMError(.json, "")) {
            try JSON(parsing: "[\"" + String(repeating: "a", count: 100) + "\"]", limit: 50)
        }
    }

    @Test func escapesAreRead() throws {
        #expect(try JSON(parsing: #""\u00e4\ud83d\ude00\/\b\f""#) == .string("ä😀/\u{8}\u{c}"))
    }

    @Test func surrogatePairsAndLongEscapesAreRead() throws {
        #expect(
            try JSON(parsing: #""a\u0001\u007f\u0080\u07ff\u0800\uffff\ud800\udc00\udbff\udfffz""#)
                == .string("a\u{1}\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}z"))
    }

    @Test func duplicateKeysAreFoundAmongMany() throws {
        for count in [2, 8, 9, 10, 1000] {
            let keys = (0..<count).map { "\"k\($0)\":1" }
            #expect(try JSON(parsing: "{\(keys.joined(separator: ","))}").object?.count == count)
            for (first, second) in [(0, count - 1), (count / 2, count / 2)] {
                var twice = keys
                twice.insert(keys[first], at: second)
                #expect(throws: MAMError(.json, "")) { try JSON(parsing: "{\(twice.joined(separator: ","))}") }
            }
        }
        // Equal to a reader, not byte by byte.
        #expect(try JSON(parsing: "{\"e\u{301}\":1,\"\u{e9}\":2}").object?.count == 2)
    }

    @Test func integersHaveTheirRange() throws {
        #expect(try JSON(parsing: "-0") == .integer(0))
        #expect(
            try JSON(parsing: "[-9223372036854775808,1000000000000000000]") == [
                .integer(.min), 1_000_000_000_000_000_000,
            ])
    }

    @Test func orderOfKeysDoesNotCount() throws {
        #expect(try JSON(parsing: #"{"a":1,"b":[2]}"#) == JSON(parsing: #"{"b":[2],"a":1}"#))
        #expect(try JSON(parsing: #"{"a":1}"#) != JSON(parsing: #"{"a":1.0}"#))
        #expect(try JSON(parsing: "\"e\u{301}\"") != JSON(parsing: "\"\u{e9}\""))
    }

    @Test("random bytes never trap")
    func randomBytes() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array(#"{}[]",:0123456789.eE+-truefalsn\u "#.utf8) + [0xC3, 0x80, 0xED, 0x00]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<40)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            if let value = try? JSON(parsing: bytes) { #expect((try? JSON(parsing: value.text)) == value) }
        }
    }
}
