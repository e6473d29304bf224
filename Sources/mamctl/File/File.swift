import ArgumentParser

/// `mamctl file`
struct File: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Files of accounts: whose they are.",
        discussion: """
            The owner of a file is kept with it, in an extended attribute, and in the app's state. A wipe of the \
            account removes its files. Symbolic links are never followed.

            Example:
              mamctl file protect --account ann@contoso.example notes/
              mamctl file info notes/plan.txt
            """,
        subcommands: [FileProtect.self, FileVerify.self, FileInfo.self])
}
