import ArgumentParser
import CMam

/// `mamctl unenroll`
struct Unenroll: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unenroll",
        abstract: "Unenroll an account and forget it.",
        discussion: """
            The account becomes unmanaged and leaves the authority's registrations. Without --wipe this app can \
            still read the data it protected for the account; with --wipe the keys are destroyed first, and \
            nobody can read that data again.

            Example:
              mamctl unenroll ann@contoso.example --wipe
            """)

    @Argument(help: "The account: a UPN or an account id.", completion: Completions.accounts)
    var account: String

    @Flag(help: "Wipe the account's data of this app as well.")
    var wipe = false

    @OptionGroup var token: TokenOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session, firstRun: .manages, token: token.of(account)) { session in
            try output.showStatus(
                session.operateShowingRemovals(output) { mam_deregister_and_unenroll($0, account, wipe ? 1 : 0, $1) })
        }
    }
}
