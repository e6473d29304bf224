/// A language of the messages for people.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"

    /// Returns the first known language of a list in the format of gettext, such as `de_AT:de`; nil if none is known.
    public init?(list: String) {
        for name in list.utf8.split(separator: UInt8(ascii: ":")) {
            // language[_territory][.codeset][@modifier]; tags of BCP 47 have a hyphen.
            let code = name.prefix { byte in !"_-.@".utf8.contains(byte) }.map { $0 | 0x20 }
            guard let known = Language.allCases.first(where: { $0.rawValue.utf8.elementsEqual(code) }) else { continue }
            self = known
            return
        }
        return nil
    }

    /// Returns the language of a process, as gettext chooses it from the environment; English if none is known. The host's
    /// locale is not read: `setlocale` belongs to the host.
    public init(environment: (String) -> String?) {
        func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        let locale = value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG")
        // Like gettext: programs in the C locale are not translated, whatever LANGUAGE says.
        let isUntranslated = locale.map { ["C", "POSIX"].contains($0) } ?? false
        self = isUntranslated ? .english : (value("LANGUAGE") ?? locale).flatMap(Language.init(list:)) ?? .english
    }

    /// Returns the text of a message; `number` replaces its placeholder.
    public func text(_ key: MessageKey, _ number: Int? = nil) -> String {
        let text = (self == .german ? key.german : key.english).description
        guard let number, let placeholder = text.utf8.firstIndex(of: UInt8(ascii: "%")) else { return text }
        return "\(text[..<placeholder])\(number)\(text[placeholder...].dropFirst(2))"
    }

    /// Returns the members of a JSON object that contain a message.
    public func members(_ key: MessageKey, _ number: Int? = nil) -> [(key: String, value: JSON)] {
        [("userMessage", .string(text(key, number))), ("messageKey", .string(key.rawValue))]
    }
}
