import ArgumentParser

/// `mamctl file`
struct File: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let files leave for other apps, and take them in.",
        discussion: """
            What a file may become is its owner's policy's to say.

            Example:
              mamctl file export plan.mam /media/plan.mam --location localDrive
            """,
        subcommands: [FileExport.self, FileImport.self])
}
