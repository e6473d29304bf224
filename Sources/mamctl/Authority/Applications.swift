import ArgumentParser

/// `mamctl authority app`
struct Applications: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Show the apps that the authority knows.",
        discussion: """
            An app is known once a policy or an app configuration targets it, or an account enrolled in it.

            Example:
              mamctl authority app list
            """,
        subcommands: [List.self])

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
}
