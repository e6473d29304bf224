import ArgumentParser
import MAMValues

/// `mamctl authority registration`
struct Registrations: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "registration",
        abstract: "Show or remove what apps have registered.",
        discussion: """
            Each enrolled account of each app on each computer is one registration.

            Example:
              mamctl authority registration list --user ann@contoso.example
            """,
        subcommands: [List.self, Remove.self])

    /// `mamctl authority registration list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the registrations.",
            discussion: """
                The table leaves out what seldom matters; --json has it all. A user or an app that the authority does not know is \
                an error.

                Example:
                  mamctl authority registration list --app com.example.notes
                """)

        @Option(help: "Only this user's: a UPN or an account id.", completion: Completions.users)
        var user: String?

        @Option(help: ArgumentHelp("Only this app's.", valueName: "id"), completion: Completions.apps)
        var app: String?

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.list(
                "registration.list", ["user": user.map(JSON.string), "app": app.map(JSON.string)],
                of: "registrations", columns: ["id", "upn", "app", "deviceTag", "platform", "lastSyncDateTime"])
        }
    }

    /// `mamctl authority registration remove`
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a registration.",
            discussion: """
                The app's next check-in of that account ends with code 220, "policy record gone"; the one after \
                re-enrolls the account.

                Example:
                  mamctl authority registration remove 3
                """)

        @Argument(help: "The registration's id, as 'list' shows it.", completion: Completions.registrations)
        var registration: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("registration.remove", ["registration": .string(registration)]) {
                "registration \(Text.value($0["id"])) of \(Text.value($0["upn"])) in \(Text.value($0["app"])) removed"
            }
        }
    }
}
