import ArgumentParser
import MAMValues

/// `mamctl authority policy import`, `mamctl authority config import`
struct DocumentImport<Documents: TargetedDocuments>: ParsableCommand {
    static var configuration: CommandConfiguration {
        let noun = Documents.noun
        return CommandConfiguration(
            commandName: "import",
            abstract: "Import \(Documents.title) that Microsoft Graph has exported.",
            discussion: """
                FILE holds one \(noun), an array, or {"value": …} around either; all of it is imported or nothing. \
                Each must say its type: by @odata.type, by the @odata.context of the file, or by --type. \
                \(Documents.importHelp)\
                A \(noun) whose id is already here replaces that one and keeps its users and apps; one of another \
                type than that, and one without an id but with the name and type of another, replaces it with \
                --replace, and is refused without. With --replace a warning names each that replaces none. \
                The options add users and apps to those in the file, for everything in it. Groups are looked up and \
                app ids checked first, so that a wrong name imports nothing. Warnings go to standard error. With --json the reply \
                to the import comes first, then each summary as it ends up.

                Example:
                  mamctl authority \(Documents.command) import \(Documents.sample) --group Sales --app com.example.notes
                """)
    }

    @Argument(help: "The exported JSON; - for standard input.", completion: .file())
    var file: String

    @OptionGroup var type: ExportTypeOption

    @Flag(help: "Replace what has the same name and type, or the same id but another type.")
    var replace = false

    @Option(
        name: [.customLong("group"), .customLong("assign-group")],
        help: ArgumentHelp("Assign to this group; may be repeated.", valueName: "group"), completion: Completions.groups
    )
    var groups: [String] = []

    @Flag(help: "Assign to all users.")
    var allUsers = false

    @Option(help: ArgumentHelp("Target this app; may be repeated.", valueName: "id"), completion: Completions.apps)
    var app: [String] = []

    @Flag(help: "Target all apps.")
    var allApps = false

    @OptionGroup var authority: AuthorityOptions

    func run() throws {
        let document = try Input.jsonFile(file)
        try AppId.check(app)
        for group in groups { _ = try authority.request("group.show", ["group": .string(group)]) }
        let keys: KeyValuePairs = ["document": document, "type": type.json, "replace": replace ? .bool(true) : nil]
        let reply = try authority.request(Documents.action("import"), keys)
        let imported = try JSON(parsing: reply)
        if !authority.output.json { LostPolicies.warn(imported) }
        let policies = try reach(Policies.self, imported)
        let configurations = try reach(Configurations.self, imported)
        guard authority.output.json else {
            for warning in try warnings(imported) {
                Output.complain("warning: \(Text.clean(Text.value(warning["message"])))")
            }
            try warnAboutGroups(policies + configurations)
            let lines = policies.map { "\(Policies.reach($0)): \(Policies.size($0))" }
            for line in lines + configurations.map({ "\(Configurations.reach($0)): \(Configurations.size($0))" }) {
                try Output.line(Text.clean(line))
            }
            return
        }
        try Output.line(reply)
        if addsReach { for summary in policies + configurations { try Output.line(summary.text) } }
    }

    /// An assignment to a group that is not here counts for nobody, or leaves nobody out.
    private func warnAboutGroups(_ documents: [JSON]) throws {
        let named = documents.flatMap { $0["groups"].elements + $0["excludedGroups"].elements }.compactMap(\.string)
        guard !named.isEmpty else { return }
        let known = try JSON(parsing: authority.request("group.list", [:]))["groups"].elements
        let names = Set(known.compactMap { $0["name"].string })
        for group in Set(named).subtracting(names).sorted() {
            Output.complain(
                "warning: there is no group \(Text.clean(group)) here, so that assignments to it count for nobody; 'mamctl authority "
                    + "group add NAME --id \(Text.clean(group))' makes it")
        }
    }

    private var addsReach: Bool { !groups.isEmpty || !app.isEmpty || allUsers || allApps }

    /// The warnings of the import. Where options add apps, they are computed again, since added apps remove some.
    private func warnings(_ imported: JSON) throws -> [JSON] {
        guard addsReach else { return imported["warnings"].elements }
        func shown<Kind: TargetedDocuments>(_: Kind.Type) throws -> [JSON] {
            try imported[Kind.plural].elements.flatMap { document in
                try JSON(parsing: authority.request(Kind.action("show"), [Kind.command: document["id"]]))["warnings"]
                    .elements
            }
        }
        // Only the import knows what it has replaced, and what it has not.
        let own = imported["warnings"].elements.filter { ["dropped", "added"].contains($0["kind"].string) }
        return try shown(Policies.self) + shown(Configurations.self) + own
    }

    /// Assign and target the imported documents of a kind; returns their final summaries.
    private func reach<Kind: TargetedDocuments>(_: Kind.Type, _ imported: JSON) throws -> [JSON] {
        try imported[Kind.plural].elements.map { document in
            var summary = document
            func change(_ action: String, _ key: String, _ value: JSON) throws {
                let keys: KeyValuePairs<String, JSON?> = [Kind.command: document["id"], key: value]
                summary = try JSON(parsing: authority.request(Kind.action(action), keys))
                if !authority.output.json { Output.complain(notesOf: summary) }
            }
            for group in groups { try change("assign", "group", .string(group)) }
            if allUsers { try change("assign", "allUsers", .bool(true)) }
            for app in app { try change("target", "app", .string(app)) }
            if allApps { try change("target", "allApps", .bool(true)) }
            return summary
        }
    }
}
