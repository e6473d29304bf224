import ArgumentParser
import CMam
import MAMValues

/// `mamctl login`
struct Login: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Enroll whoever signs in.",
        discussion: """
            Enrolls ACCOUNT with what is at hand, or without ACCOUNT the device's; where that does not do, a \
            person is asked who signs in: at the terminal, or by --answer signIn=JSON with "upn", "accountId" or \
            both. Where the organisation has a provider at which people sign in, the page to open and the code to \
            enter there are shown on standard error. A login that fails leaves no registration behind and is not \
            tried again.

            Example:
              mamctl login
              mamctl login --answer 'signIn={"upn":"ann@contoso.example"}' --token-file ann.token
            """)

    @Argument(help: "The account that is expected to sign in: a UPN or an account id (default: the device's account).")
    var account: String?

    @OptionGroup var token: TokenOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session, firstRun: .begins, token: token.of(nil, prompts: true, signsIn: true)) { session in
            try output.showStatus(session.operate { mam_login_and_enroll($0, account, $1) }, session: self.session)
        }
    }
}
