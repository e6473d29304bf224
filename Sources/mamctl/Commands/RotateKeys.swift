import ArgumentParser
import CMam

/// `mamctl rotate-keys`
struct RotateKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-keys",
        abstract: "Begin a new epoch of an account's data key.",
        discussion: """
            From now on every program of the app seals the account's data under a new key. What was protected before \
            stays readable, until a wipe.

            Example:
              mamctl rotate-keys ann@contoso.example
            """)

    @Argument(help: "The account: a UPN or an account id.", completion: Completions.accounts)
    var account: String

    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session) { session in
            try session.checkInIfDue()
            try session.perform { mam_rotate_keys($0, account) }
        }
    }
}
