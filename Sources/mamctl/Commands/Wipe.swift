import ArgumentParser
import CMam

/// `mamctl wipe`
struct Wipe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wipe",
        abstract: "Wipe an account's data of this app now.",
        discussion: """
            The account's keys are destroyed, so that nobody can read what this app protected for it, except \
            from a copy of the state made before, and the account ends unenrolled. There is no way back, and no question first. Other accounts, other apps \
            and personal data stay. Files that the account owns go; mamctl reports how many could not be removed or \
            were not where they had been, and "mamctl events --json" names them.

            Example:
              mamctl wipe ann@contoso.example
            """)

    @Argument(help: "The account: a UPN or an account id.", completion: Completions.accounts)
    var account: String

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session, firstRun: .manages) { session in
            let reply = try session.operateShowingRemovals(output) { mam_wipe_account($0, account, $1) }
            try output.showStatus(reply, success: "wiped: nothing of it can be opened any more")
        }
    }
}
