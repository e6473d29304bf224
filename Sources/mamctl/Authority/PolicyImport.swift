import ArgumentParser

/// `mamctl authority policy import`
struct PolicyImport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import policies that Microsoft Graph has exported.",
        discussion: """
            FILE holds one policy, an array, or {"value": …} around either. A policy whose id is already here \
            replaces that one and keeps whom it reaches. What the options name is added to the assignments \
            and apps in the file, for every policy in it. Groups are looked up first, so that a wrong name \
            imports nothing. With --json the reply to the import comes first, then each policy's summary as \
            it ends up.

            Example:
              mamctl authority policy import strict.json --assign-group Sales --app com.example.notes
            """)

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
        let reply = try authority.request("policy.import", ["document": document])
        let imported = try JSON(parsing: reply)
        let policies = try imported["policies"].elements.map(reach)
        guard authority.output.json else {
            let lines = policies.map { "\(Policies.reach($0)): \(Policies.counts($0))" }
            for line in lines + Policies.warnings(imported) { try Output.line(Text.clean(line)) }
            return
        }
        try Output.line(reply)
        if !(assignGroup.isEmpty && app.isEmpty && !allUsers && !allApps) {
            for policy in policies { try Output.line(policy.text) }
        }
    }

    /// Assign and target one imported policy; its summary afterwards.
    private func reach(_ policy: JSON) throws -> JSON {
        let identifier = policy["id"]
        var summary = policy
        for group in assignGroup {
            summary = try change("policy.assign", ["policy": identifier, "group": .string(group)])
        }
        if allUsers { summary = try change("policy.assign", ["policy": identifier, "allUsers": .bool(true)]) }
        for app in app { summary = try change("policy.target", ["policy": identifier, "app": .string(app)]) }
        if allApps { summary = try change("policy.target", ["policy": identifier, "allApps": .bool(true)]) }
        return summary
    }

    private func change(_ action: String, _ keys: KeyValuePairs<String, JSON?>) throws -> JSON {
        try JSON(parsing: authority.request(action, keys))
    }
}
