import ArgumentParser

/// `mamctl authority policy import`, `mamctl authority config import`
struct DocumentImport<Documents: TargetedDocuments>: ParsableCommand {
    static var configuration: CommandConfiguration {
        let noun = Documents.noun
        return CommandConfiguration(
            commandName: "import",
            abstract: "Import \(Documents.title) that Microsoft Graph has exported.",
            discussion: """
                FILE holds one \(noun), an array, or {"value": …} around either. A \(noun) whose id is already here \
                replaces that one and keeps whom it reaches. What the options name is added to the assignments \
                and apps in the file, for every \(noun) in it. Groups are looked up first, so that a wrong name \
                imports nothing. With --json the reply to the import comes first, then each \(noun)'s summary as \
                it ends up.

                Example:
                  mamctl authority \(Documents.command) import \(Documents.sample) --assign-group Sales --app com.example.notes
                """)
    }

    @Argument(help: "The exported JSON; - for standard input.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp("Assign to this group; may be repeated.", valueName: "group"), completion: Suggestion.groups)
    var assignGroup: [String] = []

    @Flag(help: "Assign to all users.")
    var allUsers = false

    @Option(help: ArgumentHelp("Target this app; may be repeated.", valueName: "id"), completion: Suggestion.apps)
    var app: [String] = []

    @Flag(help: "Target all apps.")
    var allApps = false

    @OptionGroup var authority: AuthorityOptions

    func run() throws {
        let document = try Input.jsonFile(file)
        for group in assignGroup { _ = try authority.request("group.show", ["group": .string(group)]) }
        let reply = try authority.request(Documents.action("import"), ["document": document])
        let imported = try JSON(parsing: reply)
        let summaries = try imported[Documents.plural].elements.map(reach)
        guard authority.output.json else {
            let lines = summaries.map { "\(Documents.reach($0)): \(Documents.size($0))" }
            for line in lines + Documents.warnings(imported) { try Output.line(Text.clean(line)) }
            return
        }
        try Output.line(reply)
        if !(assignGroup.isEmpty && app.isEmpty && !allUsers && !allApps) {
            for summary in summaries { try Output.line(summary.text) }
        }
    }

    /// Assign and target one imported document; its summary afterwards.
    private func reach(_ document: JSON) throws -> JSON {
        var summary = document
        func change(_ action: String, _ key: String, _ value: JSON) throws {
            let keys: KeyValuePairs<String, JSON?> = [Documents.command: document["id"], key: value]
            summary = try JSON(parsing: authority.request(Documents.action(action), keys))
        }
        for group in assignGroup { try change("assign", "group", .string(group)) }
        if allUsers { try change("assign", "allUsers", .bool(true)) }
        for app in app { try change("target", "app", .string(app)) }
        if allApps { try change("target", "allApps", .bool(true)) }
        return summary
    }
}
