import ArgumentParser
import CMam

/// `mamctl file protect`
struct FileProtect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "protect",
        abstract: "Give files to an account.",
        discussion: """
            A directory is given with everything in it, and what is made in it later is the account's as well. Data \
            of a managed account goes to another account only where the policies of both allow it. --unmanage takes \
            its protection off and gives it to nobody ("") or to a name that nobody manages, where policy allows \
            saving it anywhere; no wipe removes it then.

            Example:
              mamctl file protect --account ann@contoso.example plan.txt notes/
              mamctl file protect --unmanage --account "" plan.txt
            """)

    @OptionGroup var owned: FileOwnerOptions
    @Flag(help: "Take an account's protection off the files.")
    var unmanage = false

    func run() throws {
        try owned.give { unmanage ? mam_file_unmanage($0, $1, $2) : mam_file_protect($0, $1, $2) }
    }
}

/// `mamctl file verify`
struct FileVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Give files to an account that are not its own already.",
        discussion: """
            Nothing is done to a file whose attribute and index both name the account. Of a directory its own \
            owner is what counts.

            Example:
              mamctl file verify --account ann@contoso.example plan.txt
            """)

    @OptionGroup var owned: FileOwnerOptions

    func run() throws {
        try owned.give { mam_file_verify_and_protect($0, $1, $2) }
    }
}

/// Files and their future owner.
struct FileOwnerOptions: ParsableArguments {
    @Argument(help: "Files and directories.", completion: .file())
    var paths: [String]

    @Option(
        help: "The owner: a UPN or an account id; \"\" for personal data (default: $MAM_IDENTITY).",
        completion: Completions.accounts)
    var account: String?

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func give(_ call: (OpaquePointer, String, String) -> mam_status) throws {
        let account = try ProcessEnvironment.account(account)
        try Session.open(session, firstRun: .stores) { session in
            try session.checkInIfDue()
            let failures = try session.namingLeftFiles {
                try WriteProgress.over(paths, isQuiet: output.json) {
                    try FileBatch.each(paths) { path in try session.transfer { call($0, path, account) } }
                }
            }
            if failures.count < paths.count { session.warnIfLabelled(account, output) }
            try FileBatch.report(failures, output)
        }
    }
}
