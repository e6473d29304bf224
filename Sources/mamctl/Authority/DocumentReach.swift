import ArgumentParser
import MAMValues

/// `mamctl authority policy assign`, `mamctl authority config assign`
struct DocumentAssign<Documents: TargetedDocuments>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "assign",
            abstract: "Say which users a \(Documents.noun) reaches.",
            discussion: """
                Adds groups, or all users. With --exclude the members of the groups are left out, whatever else \
                reaches them.

                Example:
                  mamctl authority \(Documents.command) assign \(DocumentArgument<Documents>.sample) --group Sales
                """)
    }

    @OptionGroup var assignment: Assignment<Documents>

    func run() throws {
        try assignment.change("assign")
    }
}

/// `mamctl authority policy unassign`, `mamctl authority config unassign`
struct DocumentUnassign<Documents: TargetedDocuments>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "unassign",
            abstract: "Take back what 'assign' has said.",
            discussion: """
                Takes away groups, or all users; with --exclude, groups that were left out.

                Example:
                  mamctl authority \(Documents.command) unassign \(DocumentArgument<Documents>.sample) --all-users
                """)
    }

    @OptionGroup var assignment: Assignment<Documents>

    func run() throws {
        try assignment.change("unassign")
    }
}

/// `mamctl authority policy target`, `mamctl authority config target`
struct DocumentTarget<Documents: TargetedDocuments>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "target",
            abstract: "Say in which apps a \(Documents.noun) holds.",
            discussion: """
                Adds apps, or all of them.

                Example:
                  mamctl authority \(Documents.command) target \(DocumentArgument<Documents>.sample) --app com.example.notes
                """)
    }

    @OptionGroup var apps: TargetedApps<Documents>

    func run() throws {
        try apps.change("target")
    }
}

/// `mamctl authority policy untarget`, `mamctl authority config untarget`
struct DocumentUntarget<Documents: TargetedDocuments>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "untarget",
            abstract: "Take back what 'target' has said.",
            discussion: """
                Takes away apps, or all of them.

                Example:
                  mamctl authority \(Documents.command) untarget \(DocumentArgument<Documents>.sample) --all-apps
                """)
    }

    @OptionGroup var apps: TargetedApps<Documents>

    func run() throws {
        try apps.change("untarget")
    }
}

/// Options for the users that a document reaches.
struct Assignment<Documents: TargetedDocuments>: ParsableArguments {
    @OptionGroup var document: DocumentArgument<Documents>

    @Option(help: "A group, by name or id; may be repeated.", completion: Completions.groups)
    var group: [String] = []

    @Flag(help: "All users.")
    var allUsers = false

    @Flag(help: "Leave the members of the groups out.")
    var exclude = false

    @OptionGroup var authority: AuthorityOptions

    func validate() throws {
        if group.isEmpty, !allUsers { throw ValidationError("Give --group or --all-users") }
        if exclude, allUsers { throw ValidationError("--exclude takes groups, not --all-users") }
    }

    func change(_ action: String) throws {
        let (action, key, id) = (Documents.action(action), Documents.command, JSON.string(document.id))
        let exclusion = exclude ? JSON.bool(true) : nil
        var requests = group.map { (key: "group", value: JSON.string($0)) }
        if allUsers { requests.append(("allUsers", .bool(true))) }
        try authority.changes(requests) {
            try authority.request(action, [key: id, $0.key: $0.value, "exclude": exclusion])
        } line: {
            Documents.reach($0)
        }
    }
}

/// Options for the apps that a document targets.
struct TargetedApps<Documents: TargetedDocuments>: ParsableArguments {
    @OptionGroup var document: DocumentArgument<Documents>

    @Option(help: ArgumentHelp("An app; may be repeated.", valueName: "id"), completion: Completions.apps)
    var app: [String] = []

    @Flag(help: "All apps.")
    var allApps = false

    @OptionGroup var authority: AuthorityOptions

    func validate() throws {
        if app.isEmpty, !allApps { throw ValidationError("Give --app or --all-apps") }
    }

    func change(_ action: String) throws {
        let (action, key, id) = (Documents.action(action), Documents.command, JSON.string(document.id))
        var requests = app.map { (key: "app", value: JSON.string($0)) }
        if allApps { requests.append(("allApps", .bool(true))) }
        try authority.changes(requests) {
            try authority.request(action, [key: id, $0.key: $0.value])
        } line: {
            Documents.reach($0)
        }
    }
}
