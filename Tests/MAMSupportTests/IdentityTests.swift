import MAMSupport
import Testing

@Suite("Identity")
struct IdentityTests {
    @Test func asciiLettersFoldAndNothingElse() throws {
        #expect(try Identity("Ann@Contoso.Example") == Identity("ann@contoso.example"))
        #expect(try Identity("\u{212A}") != Identity("k"))  // Kelvin sign
        #expect(try Identity("e\u{301}") != Identity("\u{e9}"))
        #expect(try Identity("Ä") != Identity("ä"))
        #expect(try Identity("[") != Identity("{"))
    }

    @Test(
        "an invalid name is refused",
        arguments: [
            "", " a", "a ", "\u{A0}a", "a\u{2003}", "a\nb", "a\u{7F}", "\ta", "a\u{9B}2Jb", "a\u{80}b",
            String(repeating: "a", count: 257),
        ])
    func refused(_ text: String) {
        #expect(throws: MAMError(.argument, "")) { try Identity(text) }
    }

    @Test func longestNameIsTaken() throws { _ = try Identity(String(repeating: "a", count: 256)) }
}
