import ArgumentParser
import CMam

/// What a shell offers for an argument: names that the app's state or the authority knows. Nothing is offered where
/// they cannot be asked, and nothing is made by asking.
enum Suggestion {
    /// The accounts of the app.
    static var accounts: CompletionKind {
        inSession { session in
            try JSON(parsing: session.text { mam_registered_accounts($0, $1) }).elements
                .compactMap { $0["upn"].string ?? $0["accountId"].string }
        }
    }

    /// The keys of `mamctl settings`.
    static var settings: CompletionKind {
        inSession { session in
            try JSON(parsing: session.text { mam_settings($0, $1) })["settings"].elements.compactMap(\.["key"].string)
        }
    }

    /// The locations that go with the action that is typed.
    static var locations: CompletionKind {
        .custom { words, _, _ in
            words.lazy.compactMap { CheckAction(rawValue: Line.unquoted($0))?.locations }.first ?? []
        }
    }

    static var users: CompletionKind { inAuthority("user.list", of: "users", "upn") }
    static var groups: CompletionKind { inAuthority("group.list", of: "groups", "name") }
    static var apps: CompletionKind { inAuthority("app.list", of: "apps", "id") }
    static var registrations: CompletionKind { inAuthority("registration.list", of: "registrations", "id") }
    static var devices: CompletionKind { inAuthority("registration.list", of: "registrations", "deviceTag") }
    static var wipes: CompletionKind { inAuthority("wipe.list", of: "wipes", "id") }

    /// The ids of policies, or of app configurations; with another key, of their imports.
    static func documents<Documents: TargetedDocuments>(_: Documents.Type, _ key: String = "id") -> CompletionKind {
        inAuthority(Documents.action("list"), of: Documents.plural, key)
    }

    private static func inSession(_ names: @escaping @Sendable (Session) throws -> [String]) -> CompletionKind {
        .custom { words, _, _ in
            let options = Line(words).options(["app", "group", "state", "authority"])
            guard let options = try? SessionOptions.parse(options), options.hasState else { return [] }
            return offered((try? Session.open(options, names)) ?? [])
        }
    }

    private static func inAuthority(_ action: String, of list: String, _ key: String) -> CompletionKind {
        .custom { words, _, _ in
            guard let options = try? AuthorityOptions.parse(Line(words).options(["authority"])),
                let reply = try? JSON(parsing: options.request(action, [:]))
            else { return [] }
            return offered(reply[list].elements.map { $0[key].string ?? $0[key].text }.filter { $0 != "null" })
        }
    }

    /// Each once, and none that a terminal or a shell would obey.
    private static func offered(_ names: [String]) -> [String] {
        names.filter { Text.clean($0) == $0 }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.map(quoted)
    }

    /// The word list of bash's compgen is expanded, commands in it too, and names are other people's; zsh takes what
    /// follows a colon for a description.
    private static func quoted(_ name: String) -> String {
        switch CompletionShell.requesting {
        case .bash?: "'\(name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
        case .zsh?: String(name.flatMap { $0 == ":" || $0 == "\\" ? ["\\", $0] : [$0] })
        default: name
        }
    }
}

/// The command line so far, as a shell hands it to a completion: words as they were typed.
private struct Line {
    private let words: [String]

    init(_ words: [String]) {
        // bash makes three words of "--app=x".
        self.words = words.filter { $0 != "=" }
    }

    /// The options among `names` that are given, with their values.
    func options(_ names: [String]) -> [String] {
        names.flatMap { name -> [String] in
            let option = "--\(name)"
            if let joined = words.last(where: { $0.hasPrefix("\(option)=") }) {
                return [option, Line.unquoted(String(joined.dropFirst(option.count + 1)))]
            }
            guard let place = words.lastIndex(of: option), place + 1 < words.count else { return [] }
            let value = Line.unquoted(words[place + 1])
            return value.isEmpty || value.hasPrefix("-") ? [] : [option, value]
        }
    }

    /// Without the quotes around it.
    static func unquoted(_ word: String) -> String {
        guard let quote = word.first, quote == "\"" || quote == "'", word.count > 1, word.last == quote else {
            return word
        }
        return String(word.dropFirst().dropLast())
    }
}
