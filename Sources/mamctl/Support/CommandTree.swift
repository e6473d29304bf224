import ArgumentParser
import MAMValues

/// A command with its options, their values and its subcommands, from the parser's own description.
struct CommandTree {
    /// An option, a flag or an argument.
    struct Parameter {
        /// With leading dashes; empty for an argument.
        let names: [String]
        let takesValue: Bool
        /// Whether it may be given several times, each with a value that counts.
        let isRepeating: Bool
        /// The valid values; empty where any value is valid.
        let values: [String]
        /// The name in messages.
        let label: String
    }

    /// As in "mamctl authority user".
    let path: String
    let parameters: [Parameter]
    /// Other names, as check-in for checkin.
    let aliases: [String]
    let subcommands: [(name: String, tree: CommandTree)]
    /// The name of the subcommand whose words may follow without it.
    let defaultSubcommand: String?

    /// Options of the parser that its description omits.
    static let hidden = ["--generate-completion-script", "--experimental-dump-help", "--help-hidden"]

    /// The tree of mamctl; nil where the parser's description cannot be read.
    static func whole() -> CommandTree? {
        do {
            _ = try Mamctl.parseAsRoot(["--experimental-dump-help"])
            return nil
        } catch {
            guard let description = try? JSON(parsing: Mamctl.fullMessage(for: error)) else { return nil }
            return CommandTree(description["command"], in: "")
        }
    }

    private init(_ json: JSON, in parent: String) {
        let path = parent + (json["commandName"].string ?? "")
        self.path = path
        aliases = json["aliases"].elements.compactMap(\.string)
        parameters = json["arguments"].elements.map(Parameter.init)
        subcommands = json["subcommands"].elements.map {
            ($0["commandName"].string ?? "", CommandTree($0, in: path + " "))
        }
        defaultSubcommand = json["defaultSubcommand"].string
    }
}

extension CommandTree.Parameter {
    fileprivate init(_ json: JSON) {
        names = json["names"].elements.compactMap { name in
            name["name"].string.map { (name["kind"].string == "long" ? "--" : "-") + $0 }
        }
        takesValue = json["kind"].string == "option"
        isRepeating = json["isRepeating"] == .bool(true)
        values = json["allValues"].elements.compactMap(\.string)
        label = names.first { $0.hasPrefix("--") } ?? "<\(json["valueName"].string ?? "")>"
    }
}

extension CommandTree {
    /// The message for the first unknown word and the command whose help to suggest; nil where all words are known.
    func problem(about words: [String]) -> (message: String, command: String)? {
        problem(about: words[...], root: self)
    }

    /// The message for the first word that stands where a command has to be and is none; nil where there is none.
    func unknownCommand(in words: ArraySlice<String>) -> (message: String, command: String)? {
        var tree = self
        for word in words {
            guard !word.hasPrefix("-") else {
                // The rest may be of the default subcommand.
                if tree.defaultSubcommand != nil { return nil }
                continue
            }
            guard !tree.subcommands.isEmpty else { return nil }
            guard let next = tree.subcommand(word) else { return (tree.unknown(command: word, root: self), tree.path) }
            tree = next
        }
        return nil
    }

    /// The message for the first option that is given again though it has one value: the parser takes the last.
    func repeatedOption(in words: ArraySlice<String>) -> (message: String, command: String)? {
        var given: Set<String> = []
        var rest = words
        while let word = rest.popFirst(), word != "--" {
            guard word.hasPrefix("-"), word != "-" else {
                if let next = subcommand(word) { return next.repeatedOption(in: rest) }
                continue
            }
            let name = String(word.prefix { $0 != "=" })
            guard let option = parameters.first(where: { $0.names.contains(name) }) else {
                return defaultSubcommand.flatMap(subcommand)?.repeatedOption(in: [word] + rest)
            }
            guard option.takesValue else { continue }
            if name == word { _ = rest.popFirst() }
            guard option.isRepeating || given.insert(option.label).inserted else {
                return ("\(option.label) is given twice.", path)
            }
        }
        return nil
    }

    private func subcommand(_ word: String) -> CommandTree? {
        subcommands.first { $0.name == word || $0.tree.aliases.contains(word) }?.tree
    }

    private func problem(about words: ArraySlice<String>, root: CommandTree) -> (message: String, command: String)? {
        var arguments = parameters.filter { $0.names.isEmpty }[...]
        var rest = words
        while let word = rest.popFirst(), word != "--" {
            if word.hasPrefix("-"), word != "-" {
                let name = String(word.prefix { $0 != "=" })
                guard !CommandTree.hidden.contains(name) else { return nil }
                guard let option = parameters.first(where: { $0.names.contains(name) }) else {
                    if let next = defaultSubcommand.flatMap(subcommand) {
                        return next.problem(about: [word] + rest, root: root)
                    }
                    return (unknown(option: name), path)
                }
                guard option.takesValue else { continue }
                let value = name == word ? rest.popFirst() : String(word.dropFirst(name.count + 1))
                if let value, let message = option.problem(about: value) { return (message, path) }
            } else if subcommands.isEmpty {
                let argument = arguments.count > 1 ? arguments.popFirst() : arguments.first  // the last one may repeat
                if let message = argument?.problem(about: word) { return (message, path) }
            } else if let next = subcommand(word) {
                return word == "help" ? nil : next.problem(about: rest, root: root)
            } else {
                return (unknown(command: word, root: root), path)
            }
        }
        return nil
    }

    private func unknown(option: String) -> String {
        let names = parameters.flatMap(\.names).filter { $0.hasPrefix("--") }
        return "Unknown option '\(option)'." + NearestName.question(option, among: names)
    }

    /// Suggests the nearest subcommand, else the only command of that name elsewhere in the tree.
    private func unknown(command: String, root: CommandTree) -> String {
        let beside = NearestName.find(command, among: subcommands.map(\.name)).map { "\(path) \($0)" }
        let elsewhere = root.commands { $0.path.hasSuffix(" \(command)") }
        let meant = beside ?? (elsewhere.count == 1 ? elsewhere.first?.path : nil)
        return "Unknown command '\(command)'." + (meant.map { " Did you mean '\($0)'?" } ?? "")
    }

    private func commands(where matches: (CommandTree) -> Bool) -> [CommandTree] {
        subcommands.filter { $0.name != "help" }.flatMap {
            (matches($0.tree) ? [$0.tree] : []) + $0.tree.commands(where: matches)
        }
    }
}

extension CommandTree.Parameter {
    fileprivate func problem(about value: String) -> String? {
        guard !values.isEmpty, !values.contains(value) else { return nil }
        let question = NearestName.question(value, among: values)
        return
            "The value '\(value)' is invalid for '\(label)'.\(question) It is one of \(values.joined(separator: ", "))."
    }
}
