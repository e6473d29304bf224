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
                The options add users and apps to those in the file, for everything in it. Warnings go to standard error, \
                and --dry-run shows them, and whom the \(noun) would reach, before anything changes.

                Example:
                  mamctl authority \(Documents.command) import \(Documents.sample) --all-users --all-apps --dry-run
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

    @OptionGroup var rehearsal: Rehearsal
    @OptionGroup var authority: AuthorityOptions

    func run() throws {
        let document = try Input.jsonFile(file)
        try AppId.check(app)
        let keys: KeyValuePairs = [
            "document": document, "type": type.json, "replace": given(replace),
            "groups": groups.isEmpty ? nil : .strings(groups), "allUsers": given(allUsers),
            "apps": app.isEmpty ? nil : .strings(app), "allApps": given(allApps), "dryRun": rehearsal.json,
        ]
        try authority.perform(Documents.action("import"), keys) { imported in
            let (policies, configurations) = (imported["policies"].elements, imported["configurations"].elements)
            LostPolicies.warn(imported)
            for summary in policies + configurations { Output.complain(notesOf: summary) }
            for warning in imported["warnings"].elements {
                Output.complain("warning: \(Text.clean(Text.value(warning["message"])))")
            }
            try warnAboutGroups(policies + configurations)
            return policies.map { Text.clean("\(Policies.reach($0)): \(Policies.size($0))") }
                + configurations.map { Text.clean("\(Configurations.reach($0)): \(Configurations.size($0))") }
                + rehearsal.lines
        }
    }

    private func given(_ flag: Bool) -> JSON? { flag ? .bool(true) : nil }

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
}
