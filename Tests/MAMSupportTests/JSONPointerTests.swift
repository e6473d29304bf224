import MAMSupport
import Testing

@Suite("JSON Pointers")
struct JSONPointerTests {
    @Test(
        "keys without escapes",
        arguments: [
            ("", []), ("/", [""]), ("//", ["", ""]), ("/a/b", ["a", "b"]), ("/a~1b", ["a/b"]), ("/~01", ["~1"]),
            ("/~0~0", ["~~"]),
            ("/é", ["é"]),
        ] as [(String, [String])])
    func tokens(_ text: String, _ expected: [String]) {
        #expect(JSONPointer(text.utf8)?.tokens == expected.map { Array($0.utf8) })
    }

    @Test("refuses others", arguments: ["a", "a/b", " /a", "#/a", "/~", "/a~", "/~2", "/~/", "~0"])
    func refuses(_ text: String) { #expect(JSONPointer(text.utf8) == nil) }

    @Test(
        "indices",
        arguments: [
            ("0", 0), ("10", 10), ("9223372036854775807", Int.max), ("9223372036854775808", nil), ("", nil),
            ("00", nil), ("01", nil),
            ("-", nil), ("-1", nil), ("+1", nil), ("1a", nil), (" 1", nil),
        ] as [(String, Int?)])
    func index(_ token: String, _ expected: Int?) { #expect(JSONPointer.index(Array(token.utf8)) == expected) }
}
