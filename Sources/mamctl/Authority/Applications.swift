import ArgumentParser
import MAMValues

/// `mamctl authority app`
struct Applications: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Show the apps that the authority knows, or remove one.",
        discussion: """
            An app is known once a policy or an app configuration targets it, or an account enrolled in it.

            Example:
              mamctl authority app list
            """,
        subcommands: [List.self, Remove.self])

    /// `mamctl authority app list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the apps.",
            discussion: """
                With the number of policies and of app configurations that target each, and of registrations in it.

                Example:
                  mamctl authority app list
                """)

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.list("app.list", of: "apps", columns: ["id", "policies", "configurations", "registrations"])
        }
    }

    /// `mamctl authority app remove`
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove an app that was named by mistake.",
            discussion: """
                Only one that no policy and no app configuration targets, and in which no account is enrolled: remove or \
                untarget these first.

                Example:
                  mamctl authority app remove com.example.nots
                """)

        @Argument(help: "The app's id, as 'list' shows it.", completion: Completions.apps)
        var app: String

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            try authority.change("app.remove", ["app": .string(app)]) { "app \(Text.value($0["id"])) removed" }
        }
    }
}
