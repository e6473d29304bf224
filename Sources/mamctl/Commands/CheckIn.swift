import ArgumentParser
import CMam

/// `mamctl checkin`
struct CheckIn: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkin",
        abstract: "Ask the authority for policy and commands now.",
        discussion: """
            Without ACCOUNT every enrolled account checks in, and the worst result is told. A wipe that the \
            administrator has requested is done before this command ends. Whatever else is due is done first: \
            an enrollment that failed is tried again, an account whose registration was gone enrolled anew.

            Example:
              mamctl checkin ann@contoso.example
            """,
        aliases: ["check-in"])

    @Argument(
        help: "The account: a UPN or an account id (default: every enrolled one).", completion: Completions.accounts)
    var account: String?

    @OptionGroup var token: TokenOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session, token: token.of(account)) { session in
            try session.perform { mam_run_due($0) }
            try output.showStatus(session.operateShowingRemovals(output) { mam_check_in($0, account, $1) })
        }
    }
}
