import MAMSupport
import Testing

@Suite("Personal names")
struct PersonalNamesTests {
    private static let names = PersonalNames([
        ("ann@contoso.example", "A"), ("ann", "short"), ("9f2c-id", "B"), ("", "never"), ("Bob Smith", "C"),
    ])

    @Test(
        "known names become their replacement, other addresses the common one",
        arguments: [
            ("account ann@contoso.example is here", "account A is here"),
            ("ANN@Contoso.Example.", "A."),
            ("\"ann@contoso.example\", (ann@contoso.example); 'ann@contoso.example'", "\"A\", (A); 'A'"),
            ("/home/x/notes/ann@contoso.example/1.db: plain", "/home/x/notes/A/1.db: plain"),
            ("id 9F2C-ID and 9f2c-id2", "id B and 9f2c-id2"),
            ("Bob Smith, Bob Smithson", "C, Bob Smithson"),
            ("ann, annual, joann", "short, annual, joann"),
            ("joann@contoso.example", "(name)"),
            ("ann@contoso.example-journal", "(name)"),
            ("to: o'brien@contoso.example.", "to: (name)."),
            ("jürgen@contoso.example!", "(name)"),
            ("upn=eve+mail@x; a@b@c", "upn=(name); (name)"),
            ("@ alone, a@ and @b", "@ alone, a@ and @b"),
            ("@b@", "@b@"),
            ("", ""),
        ])
    func replaced(_ text: String, _ expected: String) {
        #expect(Self.names.replaced(in: text) == expected)
    }

    @Test("a text without names stays as it is, byte by byte")
    func unchanged() {
        let text = "opened app com.example.notes in group com.example \u{1F600} e\u{301}"
        #expect(Array(Self.names.replaced(in: text).utf8) == Array(text.utf8))
        #expect(PersonalNames().replaced(in: "ann@contoso.example") == PersonalNames.unknown)
    }
}
