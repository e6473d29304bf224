import ArgumentParser

/// A command with its options, their values and its subcommands, as the parser describes them.
struct CommandTree {
    /// An option, a flag or an argument.
    struct Parameter {
        /// With their dashes; an argument has none.
        let names: [String]
        let takesValue: Bool
        /// Empty where any value will do.
        let values: [String]
        /// How a message names it.
        let label: String
    }

    /// "mamctl authority user".
    let path: String
    let parameters: [Parameter]
    let subcommands: [(name: String, tree: CommandTree)]

    /// Options of the parser's own that its description leaves out.
    static let hidden = ["--generate-completion-script", "--experimental-dump-help", "--help-hidden"]

    /// All of mamctl; nil where the parser's description is not understood.
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
        parameters = json["arguments"].elements.map(Parameter.init)
        subcommands = json["subcommands"].elements.map {
            ($0["commandName"].string ?? "", CommandTree($0, in: path + " "))
        }
    }
}

extension CommandTree.Parameter {
    fileprivate init(_ json: JSON) {
        names = json["names"].elements.compactMap { name in
            name["name"].string.map { (name["kind"].string == "long" ? "--" : "-") + $0 }
        }
        takesValue = json["kind"].string == "option"
        values = json["allValues"].elements.compactMap(\.string)
        label = names.first { $0.hasPrefix("--") } ?? "<\(json["valueName"].string ?? "")>"
    }
}

extension CommandTree {
    /// What is wrong with the first word that no command knows, with the command whose help says more; nil where all are
    /// known.
    func complaint(about words: [String]) -> (message: String, command: String)? {
        complaint(about: words[...], root: self)
    }

    private func complaint(about words: ArraySlice<String>, root: CommandTree) -> (message: String, command: String)? {
        var arguments = parameters.filter { $0.names.isEmpty }[...]
        var rest = words
        while let word = rest.popFirst(), word != "--" {
            if word.hasPrefix("-"), word != "-" {
                let name = String(word.prefix { $0 != "=" })
                guard !CommandTree.hidden.contains(name) else { return nil }
                guard let option = parameters.first(where: { $0.names.contains(name) }) else {
                    return (unknown(option: name), path)
                }
                guard option.takesValue else { continue }
                let value = name == word ? rest.popFirst() : String(word.dropFirst(name.count + 1))
                if let value, let message = option.complaint(about: value) { return (message, path) }
            } else if subcommands.isEmpty {
                let argument = arguments.count > 1 ? arguments.popFirst() : arguments.first  // the last may repeat
                if let message = argument?.complaint(about: word) { return (message, path) }
            } else if let next = subcommands.first(where: { $0.name == word }) {
                return next.name == "help" ? nil : next.tree.complaint(about: rest, root: root)
            } else {
                return (unknown(command: word, root: root), path)
            }
        }
        return nil
    }

    private func unknown(option: String) -> String {
        let names = parameters.flatMap(\.names).filter { $0.hasPrefix("--") }
        return "Unknown option '\(option)'." + NearestWord.question(option, among: names)
    }

    /// The nearest beside it; where none is near, the only command of that name anywhere else.
    private func unknown(command: String, root: CommandTree) -> String {
        let beside = NearestWord.find(command, among: subcommands.map(\.name)).map { "\(path) \($0)" }
        let elsewhere = root.commands { $0.path.hasSuffix(" \(command)") }
        let meant = beside ?? (elsewhere.count == 1 ? elsewhere.first?.path : nil)
        return "Unknown command '\(command)'." + (meant.map { " Did you mean '\($0)'?" } ?? "")
    }

    private func commands(where isMeant: (CommandTree) -> Bool) -> [CommandTree] {
        subcommands.filter { $0.name != "help" }.flatMap {
            (isMeant($0.tree) ? [$0.tree] : []) + $0.tree.commands(where: isMeant)
        }
    }
}

extension CommandTree.Parameter {
    fileprivate func complaint(about value: String) -> String? {
        guard !values.isEmpty, !values.contains(value) else { return nil }
        let question = NearestWord.question(value, among: values)
        return
            "The value '\(value)' is invalid for '\(label)'.\(question) It is one of \(values.joined(separator: ", "))."
    }
}
