import ArgumentParser
import CMam
import MAMValues

/// `mamctl pin`
struct PIN: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Set, try, change and reset an account's PIN.",
        discussion: """
            A PIN guards an account's data on this computer where its policy asks for one. The apps of a group \
            share it. Each attempt counts; what follows the last one is the policy's. PINs are typed at the terminal, \
            come from standard input (--stdin) or from a pinentry (--pinentry), and never stand on the command line.

            Example:
              mamctl pin set ann@contoso.example
              mamctl pin verify ann@contoso.example --pinentry && ./notes
            """,
        subcommands: [Status.self, Set.self, Verify.self, Change.self, Reset.self])

    /// The account of a PIN command.
    struct AccountArgument: ParsableArguments {
        @Argument(
            help: "The account: a UPN or an account id (default: $MAM_IDENTITY).", completion: Completions.accounts)
        var account: String?

        func name() throws -> String { try ProcessEnvironment.account(account) }
    }

    /// `mamctl pin status`
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show how an account stands with its PIN.",
            discussion: """
                The state is notRequired, notSet, set, expired or tooWeak (it has to be changed when it is entered), or \
                exhausted (no attempt is left: the person signs in).

                Example:
                  mamctl pin status ann@contoso.example --json
                """)

        @OptionGroup var account: AccountArgument
        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func run() throws {
            let account = try account.name()
            let text = try Session.open(session) { session in try session.text { mam_pin_status($0, account, $1) } }
            try output.show(text) { status in
                let rule = status["rule"] == .null ? "-" : PINQuestion.rule(status["rule"])
                return Text.fields([
                    ("state", Text.value(status["state"])), ("attempts left", Text.value(status["attemptsLeft"])),
                    ("after the last", Text.value(status["atLimit"])), ("expires", Text.value(status["expires"])),
                    ("rule", rule),
                ])
            }
        }
    }
}
