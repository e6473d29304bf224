import ArgumentParser
import MAMValues

/// `mamctl authority wipe`
struct Wipes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wipe",
        abstract: "Request the wipe of a user's data, and follow it.",
        discussion: """
            An app wipes when it checks in next, and reports when it is done. An app that may only read the authority's \
            file, because another user administers it, cannot report: such a wipe never shows here as done.

            Example:
              mamctl authority wipe request ann@contoso.example
            """,
        subcommands: [Request.self, List.self, Cancel.self])

    private static let columns = ["id", "upn", "app", "deviceTag", "requestedDateTime", "pending", "done"]

    private static func line(_ wipe: JSON) -> String {
        let app = wipe["app"].string.map { "in \($0)" } ?? "in every app"
        let device = wipe["deviceTag"].string.map { " on \($0)" } ?? ""
        return "wipe of \(Text.value(wipe["upn"])) \(app)\(device)"
    }

    /// The reply's note about registrations that its counts leave out.
    private static func note(_ wipe: JSON?) -> [String] { (wipe?["note"].string).map { ["note: \($0)"] } ?? [] }

    /// `mamctl authority wipe request`
    struct Request: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "request",
            abstract: "Request the wipe of a user's data.",
            discussion: """
                In every app on every computer where the user is registered, or only in those that are named. A name that the \
                authority does not know is refused; where apps may only read it, it knows no computer, and only the \
                apps that policies and configurations name: --force requests such a wipe.

                Example:
                  mamctl authority wipe request ann@contoso.example --app com.example.notes
                """)

        @Argument(help: "The user: a UPN or an account id.", completion: Completions.users)
        var user: String

        @Option(help: ArgumentHelp("Only in this app.", valueName: "id"), completion: Completions.apps)
        var app: String?

        @Option(
            help: ArgumentHelp(
                "Only there: the device tag that 'mamctl diagnose' shows on that computer.", valueName: "tag"),
            completion: Completions.devices)
        var deviceTag: String?

        @Flag(help: "Also for an app or a computer that the authority does not know.")
        var force = false

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform(
                "wipe.request",
                [
                    "user": .string(user), "app": app.map(JSON.string), "deviceTag": deviceTag.map(JSON.string),
                    "force": force ? .bool(true) : nil,
                ]
            ) { ["\(Wipes.line($0)) requested (\(Text.value($0["pending"])) pending)"] + Wipes.note($0) }
        }
    }

    /// `mamctl authority wipe list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the wipes.",
            discussion: """
                "Pending" counts the registrations that have not wiped yet, "done" those that have. Apps that may only \
                read the authority's file are in neither.

                Example:
                  mamctl authority wipe list
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("wipe.list", [:]) { reply in
                let wipes = reply["wipes"].elements
                return Table(wipes, keys: Wipes.columns).lines(none: "no wipes") + Wipes.note(wipes.first)
            }
        }
    }

    /// `mamctl authority wipe cancel`
    struct Cancel: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel",
            abstract: "Cancel a wipe where it is not done yet.",
            discussion: """
                What has been wiped already stays wiped.

                Example:
                  mamctl authority wipe cancel 1
                """)

        @Argument(help: "The wipe's id, as 'list' shows it.", completion: Completions.wipes)
        var wipe: Int64

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.perform("wipe.cancel", ["wipe": .number(wipe)]) {
                ["\(Wipes.line($0)) cancelled (\(Text.value($0["done"])) reported as done)"] + Wipes.note($0)
            }
        }
    }
}
