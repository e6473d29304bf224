import ArgumentParser

/// `mamctl authority policy assign`
struct PolicyAssign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Say which users a policy reaches.",
        discussion: """
            Adds groups, or all users. With --exclude the members of the groups are left out, whatever else \
            reaches them.

            Example:
              mamctl authority policy assign 0b5e1f0e-7a3f-4f0c-9d43-5a1f0a6a2c11 --group Sales
            """)

    @OptionGroup var assignment: Assignment

    func run() throws {
        try assignment.change("policy.assign")
    }
}

/// `mamctl authority policy unassign`
struct PolicyUnassign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unassign",
        abstract: "Take back what 'assign' has said.",
        discussion: """
            Takes away groups, or all users; with --exclude, groups that were left out.

            Example:
              mamctl authority policy unassign 0b5e1f0e-7a3f-4f0c-9d43-5a1f0a6a2c11 --all-users
            """)

    @OptionGroup var assignment: Assignment

    func run() throws {
        try assignment.change("policy.unassign")
    }
}

/// `mamctl authority policy target`
struct PolicyTarget: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "target",
        abstract: "Say in which apps a policy holds.",
        discussion: """
            Adds apps, or all of them.

            Example:
              mamctl authority policy target 0b5e1f0e-7a3f-4f0c-9d43-5a1f0a6a2c11 --app com.example.notes
            """)

    @OptionGroup var apps: TargetedApps

    func run() throws {
        try apps.change("policy.target")
    }
}

/// `mamctl authority policy untarget`
struct PolicyUntarget: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "untarget",
        abstract: "Take back what 'target' has said.",
        discussion: """
            Takes away apps, or all of them.

            Example:
              mamctl authority policy untarget 0b5e1f0e-7a3f-4f0c-9d43-5a1f0a6a2c11 --all-apps
            """)

    @OptionGroup var apps: TargetedApps

    func run() throws {
        try apps.change("policy.untarget")
    }
}

/// The users that a policy reaches.
struct Assignment: ParsableArguments {
    @Argument(help: "The policy's id.", completion: Suggestion.policies)
    var policy: String

    @Option(help: "A group, by name or id; may be repeated.", completion: Suggestion.groups)
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
        let exclusion = exclude ? JSON.bool(true) : nil
        var reply = ""
        for group in group {
            reply = try authority.request(
                action, ["policy": .string(policy), "group": .string(group), "exclude": exclusion])
        }
        if allUsers { reply = try authority.request(action, ["policy": .string(policy), "allUsers": .bool(true)]) }
        try authority.output.show(reply) { [Policies.reach($0)] }
    }
}

/// The apps in which a policy holds.
struct TargetedApps: ParsableArguments {
    @Argument(help: "The policy's id.", completion: Suggestion.policies)
    var policy: String

    @Option(help: ArgumentHelp("An app; may be repeated.", valueName: "id"), completion: Suggestion.apps)
    var app: [String] = []

    @Flag(help: "All apps.")
    var allApps = false

    @OptionGroup var authority: AuthorityOptions

    func validate() throws {
        if app.isEmpty, !allApps { throw ValidationError("Give --app or --all-apps") }
    }

    func change(_ action: String) throws {
        var reply = ""
        for app in app {
            reply = try authority.request(action, ["policy": .string(policy), "app": .string(app)])
        }
        if allApps { reply = try authority.request(action, ["policy": .string(policy), "allApps": .bool(true)]) }
        try authority.output.show(reply) { [Policies.reach($0)] }
    }
}
