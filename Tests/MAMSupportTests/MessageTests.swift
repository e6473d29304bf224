import MAMSupport
import Testing

@Suite("messages for people")
struct MessageTests {
    @Test("every message is one line of plain text", arguments: MessageKey.allCases, Language.allCases)
    func text(_ key: MessageKey, _ language: Language) {
        let text = language.text(key, 6)
        #expect(text.utf8.count >= 10 && text.utf8.count <= 160)
        #expect(text.hasSuffix("."))
        // No path, setting, id or placeholder.
        for forbidden in ["/", "\\", "_", "\"", "\n", "%", "{", "://", "  "] {
            #expect(!text.contains(forbidden), "\(text)")
        }
    }

    @Test("every key is translated, with the same placeholders", arguments: MessageKey.allCases)
    func translation(_ key: MessageKey) {
        let (english, german) = (Language.english.text(key), Language.german.text(key))
        #expect(english != german)
        #expect(english.contains("%d") == german.contains("%d"))
        // Formal address.
        let words = german.lowercased().split { !$0.isLetter }.map { String($0) }
        for informal in ["du", "dein", "deine", "deiner", "dich", "dir", "euer", "eure"] {
            #expect(!words.contains(informal))
        }
        #expect(
            english.contains("our organisation") == german.contains("hre Organisation")
                || german.contains("hrer Organisation"))
    }

    @Test("no message has a word of libmam's", arguments: MessageKey.allCases)
    func jargon(_ key: MessageKey) {
        let words = Language.english.text(key).lowercased().split { !$0.isLetter }.map { String($0) }
        for word in [
            "libmam", "mam", "policy", "policies", "enroll", "enrolled", "tenant", "token", "upn", "json", "wipe",
            "wiped",
            "setting", "settings", "authority", "session", "container", "api", "sdk",
        ] { #expect(!words.contains(word)) }
    }

    @Test(
        "a list names the languages in the format of gettext",
        arguments: [
            ("de", Language.german), ("de_AT:de", .german), ("de-CH", .german), ("DE_de.UTF-8@euro", .german),
            ("fr:de", .german), ("fr:en:de", .english), ("en_GB", .english), (":de", .german),
        ])
    func list(_ list: String, _ expected: Language) { #expect(Language(list: list) == expected) }

    @Test("an unknown language is none", arguments: ["", "fr", "den", "d", ":", "deutsch", "_de"])
    func unknown(_ list: String) { #expect(Language(list: list) == nil) }

    @Test(
        "the environment counts in the order of gettext",
        arguments: [
            ([:], Language.english), (["LANGUAGE": "de_AT:de"], .german), (["LC_MESSAGES": "de_DE.UTF-8"], .german),
            (["LANG": "de_DE.UTF-8"], .german), (["LC_ALL": "en_US.UTF-8", "LC_MESSAGES": "de_DE"], .english),
            (["LC_MESSAGES": "de_DE", "LANG": "en_US"], .german), (["LANGUAGE": "en", "LANG": "de_DE"], .english),
            (["LANGUAGE": "de", "LANG": "en_US"], .german), (["LANGUAGE": "de", "LC_ALL": "C"], .english),
            (["LANGUAGE": "de", "LC_ALL": "", "LANG": "fr_FR"], .german), (["LANGUAGE": "", "LANG": "de"], .german),
            (["LANGUAGE": "fr", "LANG": "de_DE"], .english),
        ] as [([String: String], Language)])
    func environment(_ variables: [String: String], _ expected: Language) {
        #expect(Language { variables[$0] } == expected)
    }

    @Test func aNumberReplacesThePlaceholder() {
        #expect(Language.english.text(.pinTooShort, 6) == "Choose a longer PIN. Minimum length: 6.")
        #expect(Language.german.text(.pinTooShort, 12) == "Wählen Sie eine längere PIN. Mindestlänge: 12.")
    }

    @Test("codes without a message of their own are mistakes of the app")
    func mistakes() {
        let codes = (Int32(1)...100).map(MAMError.Code.init(rawValue:)).filter { $0.name != nil }
        #expect(codes.count > 30)
        let mistakes = codes.filter { $0.messageKey == .errorApp }
        #expect(mistakes == [.argument, .buffer, .json, .closed, .forked, .deadlock, .crypto, .internal])
    }

    @Test("every code has a message of its own kind", arguments: Int32(0)...100)
    func errors(_ number: Int32) {
        let code = MAMError.Code(rawValue: number)
        let key = MAMError(code, "saveAsBlocked in /etc/x").messageKey
        #expect(key.rawValue.hasPrefix("error") || code == .locked && key == .refusedLocked)
        #expect(MAMError(code, "x", for: .pinWrong).messageKey == .pinWrong)
    }
}
