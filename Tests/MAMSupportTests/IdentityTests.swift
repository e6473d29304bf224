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

    @Test(
        "what no account can be called is refused, and stays readable where it is stored",
        arguments: [
            "Ann <ann@contoso.example>", "<ann-id>", "{ann-id}", "\"ann\"", "\u{201C}ann\u{201D}", "ann\u{200B}",
            "a\u{AD}nn", "ann%40contoso.example",
            "ann\u{FF20}contoso.example", "a@b@contoso.example", "@contoso.example", "ann@", "ann@contoso.example.",
            "ann@contoso..example",
            "ann@contoso.example:443", "mailto:ann@contoso.example", "ann@ contoso.example",
            "ann@contoso\u{3002}example", "ann@contoso.example/x",
            "(ann@contoso.example)", "ann@contoso.example,ben@contoso.example", "contoso\\ann@contoso.example",
            "ann@contoso.\u{FF45}xample", "ann@cont\u{1D52}so.example", "ann@\u{1D4EC}ontoso.example",
            "ann@\u{24D2}ontoso.example",
            "ann@B\u{DC}CHER.example", "ann@bu\u{308}cher.example", "ann@\u{FB01}sh.example",
        ])
    func noName(_ text: String) throws {
        #expect(throws: MAMError(.argument, "")) { try Identity(account: text) }
        _ = try Identity(text)
    }

    @Test(
        "other names are taken",
        arguments: [
            "ann@contoso.example", "Ann Example", "o'neil@home.example", "ann_fabrikam.example#EXT#@home.example",
            "root@localhost", "ann@stra\u{DF}e.example", "ann@\u{3B1}\u{3C2}.example", "ann@\u{4F8B}\u{5B50}.example",
            "ann@\u{5D0}\u{5D1}.example", "ann@\u{939}\u{93F}.example",
            "j\u{F6}rg@b\u{FC}cher.example", "HOME\\ann", "8a0e5f5e-3c5d-4a88-9c57-1a3f5e0d2b11", "ann",
        ])
    func name(_ text: String) throws { _ = try Identity(account: text) }

    @Test func domains() {
        for domain in ["contoso.example", "localhost", "b\u{FC}cher.example", "a_b.c-d"] {
            #expect(Identity.isDomain(domain))
        }
        for domain in [
            "", ".", "*.contoso.example", "contoso.example.", ".a", "a b", "a:1", "a@b", "a\u{3002}b",
            String(repeating: "a", count: 254),
        ] {
            #expect(!Identity.isDomain(domain))
        }
    }
}
