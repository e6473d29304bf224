import ArgumentParser
import CMam
import MAMValues

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
            // For the message alone: a list that fails keeps no wipe away.
            let accounts = (try? JSON(parsing: session.text { mam_registered_accounts($0, $1) }))?.elements ?? []
            let reply = try session.operateShowingRemovals(output) { mam_wipe_account($0, account, $1) }
            try output.showStatus(reply, success: Wipe.success(account, accounts))
        }
    }

    /// A name that was registered alone may be a misspelt one, whose account keeps all that it has.
    private static func success(_ account: String, _ accounts: [JSON]) -> String {
        func names(_ known: JSON) -> [String] { ["upn", "accountId"].compactMap { known[$0].string } }
        let own = accounts.first { names($0).contains { $0.lowercased() == account.lowercased() } }
        guard let own, own["state"] != .string("enrolled") else { return "wiped: nothing of it can be opened any more" }
        let others = accounts.filter { $0["state"] == .string("enrolled") }.compactMap { $0["upn"].string }
        return "it was not enrolled here; what there was of it is gone." + NearestName.question(account, among: others)
    }
}
