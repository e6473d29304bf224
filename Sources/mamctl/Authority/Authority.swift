import ArgumentParser
import MAMValues

/// `mamctl authority`
struct Authority: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authority",
        abstract: "Run the authority: users, groups, policies, app configurations, wipes.",
        discussion: """
            The authority is one file that plays the MAM service on this computer: it knows users and their \
            groups, keeps policies and app configurations as Microsoft Graph exports them, registers the apps that enroll, and passes \
            on wipes. Name it with --authority or MAM_AUTHORITY. An authority that the user of the app can \
            write restrains no user; give it to another user for that. A service (mamd) is administered with the same \
            commands: name the socket in its folder.

            Example:
              export MAM_AUTHORITY=$HOME/authority.db
              mamctl authority create --name Contoso
              mamctl authority user add ann@contoso.example
              mamctl authority policy import strict.json --all-users --all-apps
            """,
        subcommands: [
            Create.self, Show.self, Set.self, Accept.self, Keys.self, Forget.self, Users.self, Groups.self,
            Applications.self,
            DocumentCommands<Policies>.self, DocumentCommands<Configurations>.self, Registrations.self, Wipes.self,
            Devices.self, Identities.self, Faults.self,
        ])

    /// `mamctl authority create`
    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Make a new authority.",
            discussion: """
                Makes the file; one that is there already is left alone, and the command fails.

                Example:
                  mamctl authority create --authority authority.db --name Contoso
                """)

        @Option(help: ArgumentHelp("The id of its tenant (default: a new one).", valueName: "id"))
        var tenantId: String?

        @Option(help: "A name for people.")
        var name: String?

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change(
                "authority.create", ["tenantId": tenantId.map(JSON.string), "name": name.map(JSON.string)]
            ) {
                "authority \(Text.value($0["path"])) made (custody: \(Text.value($0["custody"])))"
            }
        }
    }

    /// `mamctl authority show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the authority and how much it holds.",
            discussion: """
                "Custody: administered" says that this user cannot change the authority; "development", that \
                the user can, so that it restrains no user.

                Example:
                  mamctl authority show
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("authority.show", [:], Text.outline)
        }
    }

    /// `mamctl authority accept`
    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Accept an older copy that was put back.",
            discussion: """
                Apps refuse an authority that is older than the one that they have seen, since what was decided after it is \
                undone: a wipe, a user's end, a stricter policy. Decide that again first, then accept the file.

                Example:
                  mamctl authority wipe request leaver@contoso.example
                  mamctl authority accept
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("authority.accept", [:]) {
                "authority \(Text.value($0["path"])) is accepted as it stands: \(Text.value($0["users"])) users, "
                    + "\(Text.value($0["policies"])) policies, \(Text.value($0["wipes"])) wipes"
            }
        }
    }

    /// `mamctl authority set`
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Change the authority's name, check-in interval or domains.",
            discussion: """
                Apps check in once in the interval, an ISO 8601 duration from PT1M to P1D; "default" takes \
                back what was set. --domain states the domains of the organisation's names, once for each; \
                without one the apps go by those of managed accounts. --no-domains takes them back.

                Example:
                  mamctl authority set --check-in-interval PT15M
                  mamctl authority set --domain contoso.example --domain contoso.test
                """)

        @Option(help: "A name for people.")
        var name: String?

        @Option(help: ArgumentHelp("How often apps check in, or \"default\".", valueName: "duration"))
        var checkInInterval: String?

        @Option(help: "A domain of the organisation's names; may be repeated.")
        var domain: [String] = []

        @Flag(help: "State no domains.")
        var noDomains = false

        @OptionGroup var authority: AuthorityOptions

        func validate() throws {
            if noDomains, !domain.isEmpty { throw ValidationError("give --domain or --no-domains, not both") }
            guard name != nil || checkInInterval != nil || noDomains || !domain.isEmpty else {
                throw ValidationError(
                    "nothing is named that changes: give an option such as --name, or see 'authority show'")
            }
        }

        func run() throws {
            let interval = checkInInterval.map { $0 == "default" ? JSON.null : .string($0) }
            let domains: JSON? = noDomains || !domain.isEmpty ? .array(domain.map(JSON.string)) : nil
            let keys: KeyValuePairs = [
                "name": name.map(JSON.string), "checkInInterval": interval, "domains": domains,
            ]
            try authority.change("authority.set", keys) {
                Output.complain(notesOf: $0)
                return "authority \(Text.value($0["path"])): name \(Text.value($0["name"])), "
                    + "check-in interval \($0["checkInInterval"].string ?? "default")"
            }
        }
    }
}
