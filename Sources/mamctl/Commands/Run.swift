import ArgumentParser
import CMam
import Glibc
import MAMValues

/// `mamctl run`
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a program on behalf of an account.",
        discussion: """
            The program, and every mamctl and Python program below it, acts for the account in this session: \
            MAM_IDENTITY and the session options are put into its environment. Where policy is required \
            (MAMPolicyRequired) and absent, the program is not started, and the exit status is 3. Otherwise the program takes this command's place, with its exit status and its \
            signals; 126 and 127 say, as in a shell, that it could not be run or is not there.

            Example:
              mamctl run --identity ann@contoso.example -- ./report.sh --all
            """)

    @Option(
        help: "The account: a UPN or an account id; \"\" for no account (default: $MAM_IDENTITY).",
        completion: Completions.accounts)
    var identity: String?

    @OptionGroup(title: "Session options") var session: SessionOptions

    @Argument(parsing: .postTerminator, help: "The program and its arguments, after \"--\".", completion: .file())
    var command: [String] = []

    func run() throws {
        let program = ProcessEnvironment.program()
        guard !program.isEmpty else {
            throw CommandError.usage("which program? Give -- PROGRAM (see 'mamctl run --help')")
        }
        guard let identity = try ProcessEnvironment.identity(identity) else {
            throw CommandError.usage("for whom? Give --identity ACCOUNT or set MAM_IDENTITY")
        }
        try Session.open(session) { session in
            try session.act(for: identity)
            try launch(session)
        }
        try ProcessEnvironment.replaceProcess(program, with: [("MAM_IDENTITY", identity)] + session.environment())
    }

    /// Fail where policy is required and absent.
    private func launch(_ session: Session) throws {
        let settings = try session.settings()["settings"].elements
        let isRequired = settings.contains { $0["key"].string == "MAMPolicyRequired" && $0["value"] == .bool(true) }
        let accounts = try JSON(parsing: session.text { mam_registered_accounts($0, $1) }).elements
        guard isRequired, !accounts.contains(where: { $0["managed"] == .bool(true) }) else { return }
        throw CommandError.refused("This app needs policy, and no account of it has any: enroll one")
    }
}
