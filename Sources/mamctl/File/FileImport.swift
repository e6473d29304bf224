import ArgumentParser
import CMam
import MAMValues

/// `mamctl file import`
struct FileImport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take a file in for an account.",
        discussion: """
            What another managed app exported is decrypted, and the copy at TARGET is protected for the account: sealed \
            where its policy demands encrypted files, or where the file came sealed. Without a TARGET the copy has the \
            file's name in the folder of the setting DocumentBrowserFileCachePath, which must have none of that name, \
            and its path is printed. Where the policy refuses, the reason is on standard error, and the exit status is 3.

            Example:
              mamctl file import /media/plan.mam plan.mam --account ann@contoso.example
            """)

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Argument(help: "Where the copy is to be (default: in the app's folder).", completion: .file())
    var target: String?

    @Option(
        help: "The new owner: a UPN or an account id; \"\" for personal data (default: $MAM_IDENTITY).",
        completion: Completions.accounts)
    var account: String?

    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        let account = try ProcessEnvironment.account(account)
        try Session.open(session, firstRun: .stores) { session in
            try session.checkInIfDue()
            try WriteProgress.over([file], isQuiet: false) {
                try session.transfer { mam_file_import($0, file, account, target) }
            }
            if target == nil { try Output.line(FileImport.copy(of: file, session)) }
        }
    }

    /// The path of a copy without a target.
    private static func copy(of file: String, _ session: Session) throws -> String {
        let folder = try session.settings()["importFolder"].string ?? ""
        return "\(folder)/\(file.split(separator: "/").last ?? "")"
    }
}
