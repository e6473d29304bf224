import ArgumentParser
import MAMValues

/// `mamctl authority user`
struct Users: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Keep the users of the authority.",
        discussion: """
            Only a user that is here, enabled and licensed can enroll. USER is a UPN or an account id.

            Example:
              mamctl authority user add ann@contoso.example --display-name "Ann"
            """,
        subcommands: [Add.self, UserImport.self, Set.self, Show.self, Remove.self, List.self, Invite.self])

    /// `mamctl authority user add`
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a user.",
            discussion: """
                The account id is made up where none is given. With --token-file the user's apps must \
                bring the token in that file to enroll; only a salted hash of it is kept.

                Example:
                  mamctl authority user add ann@contoso.example --token-file ann.token
                """)

        @Argument(help: "The user's UPN.")
        var upn: String

        @Option(help: ArgumentHelp("The account id (default: a new one).", valueName: "id"))
        var accountId: String?

        @Option(help: ArgumentHelp("The tenant's id (default: the authority's).", valueName: "id"))
        var tenantId: String?

        @Option(
            help: ArgumentHelp("A group that the user joins; may be repeated.", valueName: "group"),
            completion: Completions.groups)
        var group: [String] = []

        @OptionGroup var properties: UserProperties
        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change(
                "user.add",
                [
                    "upn": .string(upn), "accountId": accountId.map(JSON.string),
                    "tenantId": tenantId.map(JSON.string), "displayName": properties.displayName.map(JSON.string),
                    "licensed": properties.licensed.map(JSON.bool), "enabled": properties.enabled.map(JSON.bool),
                    "accessTokenFile": try properties.tokenPath(),
                    "groups": group.isEmpty ? nil : .strings(group),
                ]
            ) {
                Output.complain(notesOf: $0)
                return "user \(Users.line($0)) added"
            }
            if !upn.contains("@") { Output.complain("warning: \(Text.clean(Users.withoutDomain(upn)))") }
        }
    }

    /// `mamctl authority user set`
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change a user.",
            discussion: """
                Changes what is named and leaves the rest. A user who is disabled, without a licence or \
                migrating is refused at the next enrollment or check-in.

                Example:
                  mamctl authority user set ann@contoso.example --no-licensed
                """)

        @Argument(help: "The user: a UPN or an account id.", completion: Completions.users)
        var user: String

        @Option(help: "The new UPN.")
        var upn: String?

        @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Whether the user's tenant is moving.")
        var migrating: Bool?

        @Flag(help: "Ask for no token any more.")
        var noToken = false

        @OptionGroup var properties: UserProperties
        @OptionGroup var authority: AuthorityOptions

        func validate() throws {
            if noToken, properties.tokenFile != nil {
                throw ValidationError("--no-token and --token-file exclude each other")
            }
            guard upn != nil || migrating != nil || noToken || properties.areGiven else {
                throw ValidationError(
                    "nothing is named that changes: give an option such as --enabled, or see 'user show'")
            }
        }

        func run() throws {
            try authority.change(
                "user.set",
                [
                    "user": .string(user), "upn": upn.map(JSON.string),
                    "displayName": properties.displayName.map(JSON.string),
                    "enabled": properties.enabled.map(JSON.bool), "licensed": properties.licensed.map(JSON.bool),
                    "migrating": migrating.map(JSON.bool),
                    "accessTokenFile": noToken ? .null : try properties.tokenPath(),
                ]
            ) {
                Output.complain(notesOf: $0)
                return "user \(Users.line($0)) changed"
            }
        }
    }

    /// `mamctl authority user show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a user.",
            discussion: """
                Shows whether the user can enroll, and the groups.

                Example:
                  mamctl authority user show ann@contoso.example
                """)

        @Argument(help: "The user: a UPN or an account id.", completion: Completions.users)
        var user: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("user.show", ["user": .string(user)], Text.outline)
        }
    }

    /// `mamctl authority user remove`
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a user.",
            discussion: """
                Removing wipes nothing. To have the user's data wiped, request that first ('wipe request'), and remove the user \
                once it is acknowledged ('wipe list'). A user with enrollments is removed only with --force.

                Example:
                  mamctl authority user remove ann@contoso.example
                """)

        @Argument(help: "The user: a UPN or an account id.", completion: Completions.users)
        var user: String

        @Flag(help: "Remove a user with enrollments, whose data stays.")
        var force = false

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("user.remove", ["user": .string(user), "force": .bool(force)]) { user in
                "user \(Users.line(user)) removed" + (user["note"].string.map { "; note: \($0)" } ?? "")
            }
        }
    }

    /// `mamctl authority user list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the users.",
            discussion: """
                In the order they were added.

                Example:
                  mamctl authority user list
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.list(
                "user.list", of: "users", columns: ["upn", "accountId", "enabled", "licensed", "groups"])
        }
    }
}

extension Users {
    /// Programs take a name without "@" for an account id.
    static func withoutDomain(_ upn: String) -> String {
        "upn: '\(Text.cut(upn, to: 40))' has no @: a program that is given it takes it for an account id, and finds no such user"
    }

    /// A user on one line: names, then states other than the default.
    static func line(_ user: JSON) -> String {
        let unusual = [
            user["enabled"] == .bool(false) ? "disabled" : nil, user["licensed"] == .bool(false) ? "no licence" : nil,
            user["migrating"] == .bool(true) ? "migrating" : nil,
            user["requiresToken"] == .bool(true) ? "brings a token" : nil,
        ].compactMap { $0 }
        let details = ["account id \(Text.value(user["accountId"]))"] + unusual
        return "\(Text.value(user["upn"])) (\(details.joined(separator: ", ")))"
    }
}

/// Options that 'add' and 'set' share.
struct UserProperties: ParsableArguments {
    @Option(help: ArgumentHelp("The user's name for people.", valueName: "name"))
    var displayName: String?

    @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Whether the user may sign in.")
    var enabled: Bool?

    @Flag(inversion: .prefixedNo, exclusivity: .exclusive, help: "Whether the user has a licence.")
    var licensed: Bool?

    @Option(
        help: ArgumentHelp("A file with the token that the user's apps must bring.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    var areGiven: Bool { displayName != nil || enabled != nil || licensed != nil || tokenFile != nil }

    func tokenPath() throws -> JSON? {
        try tokenFile.map { .string(try ProcessEnvironment.absolutePath($0)) }
    }
}
