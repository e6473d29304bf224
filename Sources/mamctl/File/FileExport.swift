import ArgumentParser
import CMam

/// `mamctl file export`
struct FileExport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy a file to where its owner's policy lets it go.",
        discussion: """
            The copy is plain where the owner's data may go to all apps; otherwise managed apps of the owner's account \
            alone read it, with "mamctl file import". TARGET is replaced as a whole or not at all. Where the policy \
            refuses, the reason is on standard error, and the exit status is 3.

            Example:
              mamctl file export plan.mam /media/plan.mam --location localDrive
            """)

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Argument(help: "Where the copy is to be.", completion: .file())
    var target: String

    @Option(help: "The kind of that place.")
    var location: SaveLocation

    @Option(
        help: ArgumentHelp("The account of the location (default: unknown).", valueName: "account"),
        completion: Completions.accounts)
    var locationAccount: String?

    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session) { session in
            try session.checkInIfDue()
            try WriteProgress.over([file], isQuiet: false) {
                try session.transfer { handle in
                    let status = mam_file_export(handle, file, location.number, locationAccount, target)
                    // A service is asked for the first key in the background: here and now, since this process ends.
                    guard status == MAM_ERR_KEY_UNAVAILABLE, mam_run_due(handle) == MAM_OK else { return status }
                    return mam_file_export(handle, file, location.number, locationAccount, target)
                }
            }
        }
    }
}
