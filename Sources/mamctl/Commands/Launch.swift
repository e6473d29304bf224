import ArgumentParser
import CMam
import MAMValues

/// `mamctl launch`
struct Launch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "Find out whether the app may show data.",
        discussion: """
            Does what a program does when it starts: enrolls an account where the setting AutoEnrollOnLaunch says \
            so, looks whether a policy is there that MAMPolicyRequired or MAMPolicyWarnAbsent ask for, and whether \
            anything that its policies check stands against an account. What is found is carried out: an account \
            with a finding that wipes is wiped. Prints "allowed", "warned", "blocked" or "wiped", and each finding on \
            standard error. The exit status is 3 for blocked and wiped. With --account one account is looked at, and \
            nothing is carried out. --user-message prints nothing but the messages for the user.

            Example:
              mamctl launch && ./notes
              mamctl launch --account ann@contoso.example
            """)

    @Option(
        help: "Only look at this account, and carry nothing out: a UPN or an account id.",
        completion: Completions.accounts)
    var account: String?

    @OptionGroup var token: TokenOptions
    @OptionGroup var pins: PINOptions
    @OptionGroup var messages: MessageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try messages.language.choose()
        try LaunchOutcome.show(output, isForUser: messages.userMessage) { tell in
            try Session.open(
                session, firstRun: try enrolls() ? .stores : .reads, token: token.of(nil, prompts: true, pins: pins)
            ) { session in
                guard let account else { return tell(try session.operate { mam_launch($0, $1) }) }
                tell(try session.text { mam_conditional_launch($0, account, $1) })
            }
        }
    }

    /// Whether the first launch may enroll an account, which then needs a state.
    private func enrolls() throws -> Bool {
        guard account == nil, try session.isNeverRun() else { return false }
        var looking = session
        looking.newApp = true
        let settings = try Session.open(looking) { try $0.settings() }
        return settings["settings"].elements.contains {
            $0["key"].string == "AutoEnrollOnLaunch" && $0["value"] == .bool(true)
        }
    }
}
