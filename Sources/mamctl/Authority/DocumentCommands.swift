import ArgumentParser
import MAMValues

/// `mamctl authority policy`, `mamctl authority config`
struct DocumentCommands<Documents: TargetedDocuments>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Documents.command,
            abstract: "Keep \(Documents.title), and say whom they reach.",
            discussion: """
                A \(Documents.noun) reaches a user in an app when it is assigned to the user (through a group, or with \
                --all-users) and targets the app. \(Documents.noun.uppercased()) is a \(Documents.noun)'s id, as 'list' \
                shows it, or its name where no other has that.

                Example:
                  mamctl authority \(Documents.command) import \(Documents.sample) --all-users --all-apps
                """,
            subcommands: [
                DocumentImport<Documents>.self, List.self, Show.self, Export.self, Remove.self,
                DocumentAssign<Documents>.self, DocumentUnassign<Documents>.self, DocumentTarget<Documents>.self,
                DocumentUntarget<Documents>.self,
            ])
    }

    /// `mamctl authority policy list`
    struct List: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "list",
                abstract: "List the \(Documents.title) and whom they reach.",
                discussion: """
                    \(Documents.listHelp)

                    Example:
                      mamctl authority \(Documents.command) list
                    """)
        }

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform(Documents.action("list"), [:]) {
                Documents.table($0[Documents.plural].elements)
            }
        }
    }

    /// `mamctl authority policy show`
    struct Show: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "show",
                abstract: "Show a \(Documents.noun), setting by setting.",
                discussion: """
                    \(Documents.showHelp)

                    Example:
                      mamctl authority \(Documents.command) show \(DocumentArgument<Documents>.sample)
                    """)
        }

        @OptionGroup var document: DocumentArgument<Documents>
        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform(Documents.action("show"), document.keys) { document in
                let reach = [("reaches", Documents.users(document)), ("in apps", Documents.applications(document))]
                return Text.fields(Documents.fields.map { (Text.words($0), Text.value(document[$0])) } + reach)
                    + [""] + Documents.contents(document).lines + Documents.warnings(document)
            }
        }
    }

    /// `mamctl authority policy export`
    struct Export: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "export",
                abstract: "Print what was imported.",
                discussion: """
                    The JSON document equals what was imported, unknown keys included. With --import a whole \
                    import comes back instead of one \(Documents.noun).

                    Example:
                      mamctl authority \(Documents.command) export \(DocumentArgument<Documents>.sample) > \(Documents.sample)
                    """)
        }

        @Argument(help: DocumentArgument<Documents>.help, completion: Completions.documents(Documents.self))
        var document: String?

        @Option(
            name: .customLong("import"), help: ArgumentHelp("The id of an import.", valueName: "id"),
            completion: Completions.documents(Documents.self, "import"))
        var importId: String?

        @OptionGroup var authority: AuthorityOptions

        func validate() throws {
            guard (document == nil) == (importId == nil) else { return }
            throw ValidationError("Give a \(Documents.noun) or --import, one of them")
        }

        func run() throws {
            let keys: KeyValuePairs = [
                Documents.command: document.map(JSON.string), "import": importId.map(JSON.string),
            ]
            let reply = try authority.request(Documents.action("export"), keys)
            guard !authority.output.json else { return try Output.line(reply) }
            try Output.line(JSON(parsing: reply)["document"].indentedText)
        }
    }

    /// `mamctl authority policy remove`
    struct Remove: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "remove",
                abstract: "Remove a \(Documents.noun).",
                discussion: """
                    It stops reaching accounts with their next check-in.\(Documents.removeHelp)

                    Example:
                      mamctl authority \(Documents.command) remove \(DocumentArgument<Documents>.sample) --dry-run
                      mamctl authority \(Documents.command) remove \(DocumentArgument<Documents>.sample)
                    """)
        }

        @OptionGroup var document: DocumentArgument<Documents>
        @OptionGroup var rehearsal: Rehearsal
        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            let keys: KeyValuePairs = [Documents.command: JSON.string(document.id), "dryRun": rehearsal.json]
            try authority.perform(Documents.action("remove"), keys) {
                LostPolicies.warn($0)
                return [Documents.removed($0)] + rehearsal.lines
            }
        }
    }
}

/// The argument that names a document.
struct DocumentArgument<Documents: TargetedDocuments>: ParsableArguments {
    /// An id for examples.
    static var sample: String { "0b5e1f0e-7a3f-4f0c-9d43-5a1f0a6a2c11" }
    static var help: ArgumentHelp { ArgumentHelp("The \(Documents.noun), by id or name.", valueName: Documents.noun) }

    @Argument(help: DocumentArgument.help, completion: Completions.documents(Documents.self))
    var id: String

    /// The document's member of a request.
    var keys: KeyValuePairs<String, JSON?> { [Documents.command: .string(id)] }
}
