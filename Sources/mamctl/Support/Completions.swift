import ArgumentParser
import CMam
import MAMValues

/// Shell completions: names from the app's state or the authority. Completing creates no state, and offers nothing where the names
/// cannot be read.
enum Completions {
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
            try session.settings()["settings"].elements.compactMap(\.["key"].string)
        }
    }

    /// The locations of the action on the command line.
    static var locations: CompletionKind {
        .custom { words, _, _ in
            words.lazy.compactMap { CheckAction(rawValue: TypedWords.unquoted($0))?.locations }.first ?? []
        }
    }

    static var users: CompletionKind { inAuthority("user.list", of: "users", "upn") }
    static var groups: CompletionKind { inAuthority("group.list", of: "groups", "name") }
    static var apps: CompletionKind { inAuthority("app.list", of: "apps", "id") }
    static var registrations: CompletionKind { inAuthority("registration.list", of: "registrations", "id") }
    static var devices: CompletionKind { inAuthority("registration.list", of: "registrations", "deviceTag") }
    static var wipes: CompletionKind { inAuthority("wipe.list", of: "wipes", "id") }

    /// The ids of policies or app configurations; with another key, of their imports.
    static func documents<Documents: TargetedDocuments>(_: Documents.Type, _ key: String = "id") -> CompletionKind {
        inAuthority(Documents.action("list"), of: Documents.plural, key)
    }

    private static func inSession(_ names: @escaping @Sendable (Session) throws -> [String]) -> CompletionKind {
        .custom { words, _, _ in
            let options = TypedWords(words).options(["app", "group", "state", "authority"])
            guard let options = try? SessionOptions.parse(options), options.hasState else { return [] }
            return sanitized((try? Session.open(options.takenAsMeant, names)) ?? [])
        }
    }

    private static func inAuthority(_ action: String, of list: String, _ key: String) -> CompletionKind {
        .custom { words, _, _ in
            guard let options = try? AuthorityOptions.parse(TypedWords(words).options(["authority"])),
                let reply = try? JSON(parsing: options.request(action, [:]))
            else { return [] }
            return sanitized(reply[list].elements.map { $0[key].string ?? $0[key].text }.filter { $0 != "null" })
        }
    }

    /// Remove duplicates, and names with control characters.
    private static func sanitized(_ names: [String]) -> [String] {
        names.filter { Text.clean($0) == $0 }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.map(quoted)
    }

    /// bash's compgen expands its word list, commands included, and the names are not trusted; zsh reads a description after a
    /// colon.
    private static func quoted(_ name: String) -> String {
        switch CompletionShell.requesting {
        case .bash?: "'\(name.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined())'"
        case .zsh?: name.unicodeScalars.map { $0 == ":" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        default: name
        }
    }
}

/// The command line so far, as the shell passes it to a completion: words as typed.
private struct TypedWords {
    private let words: [String]

    init(_ words: [String]) {
        // bash splits "--app=x" into three words.
        self.words = words.filter { $0 != "=" }
    }

    /// The given options among `names`, with their values.
    func options(_ names: [String]) -> [String] {
        names.flatMap { name -> [String] in
            let option = "--\(name)"
            if let joined = words.last(where: { $0.hasPrefix("\(option)=") }) {
                return [option, TypedWords.unquoted(String(joined.dropFirst(option.count + 1)))]
            }
            guard let index = words.lastIndex(of: option), index + 1 < words.count else { return [] }
            let value = TypedWords.unquoted(words[index + 1])
            return value.isEmpty || value.hasPrefix("-") ? [] : [option, value]
        }
    }

    /// The word without quotes around it.
    static func unquoted(_ word: String) -> String {
        guard let quote = word.first, quote == "\"" || quote == "'", word.count > 1, word.last == quote else {
            return word
        }
        return String(word.dropFirst().dropLast())
    }
}
