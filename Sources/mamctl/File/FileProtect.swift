import ArgumentParser
import CMam

/// `mamctl file protect`
struct FileProtect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "protect",
        abstract: "Give files to an account.",
        discussion: """
            A directory is given with everything in it, and what is made in it later is the account's as well. A \
            name nobody registered is an unmanaged user, whose files no wipe removes.

            Example:
              mamctl file protect --account ann@contoso.example plan.txt notes/
            """)

    @OptionGroup var owned: OwnedFiles

    func run() throws {
        try owned.give { mam_file_protect($0, $1, $2) }
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

    @OptionGroup var owned: OwnedFiles

    func run() throws {
        try owned.give { mam_file_verify_and_protect($0, $1, $2) }
    }
}

/// Files, and whose they are to be.
struct OwnedFiles: ParsableArguments {
    @Argument(help: "Files and directories.", completion: .file())
    var paths: [String]

    @Option(
        help: "Whose: a UPN or an account id; \"\" for nobody's (default: $MAM_IDENTITY).",
        completion: Suggestion.accounts)
    var account: String?

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func give(_ call: (OpaquePointer, String, String) -> mam_status) throws {
        let account = try Surroundings.account(account)
        try Session.open(session) { session in
            try session.keepSchedule()
            let failures = try WriteWatch.over(paths, isQuiet: output.json) {
                try NamedFiles.each(paths) { path in try session.perform { call($0, path, account) } }
            }
            if failures.count < paths.count { session.tellLabelled(account, output) }
            try NamedFiles.tell(failures, output)
        }
    }
}
