import ArgumentParser
import CMam
import MAMValues

/// `mamctl enroll`
struct Enroll: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Register an account and enroll it now.",
        discussion: """
            The authority is asked to manage the account in this app, and its policy is fetched. An ACCOUNT \
            with an "@" is a UPN, any other an account id. Where enrolling fails the account stays registered, \
            and 'mamctl checkin' tries again when that is due. An authority that asks for the account's access \
            token gets the one in --token-file; a service takes the invitation in --invite. With --sign-in the \
            person signs in at the organisation's provider.

            Example:
              mamctl enroll ann@contoso.example --token-file ann.token
            """)

    @Argument(help: "The account: a UPN or an account id.", completion: Completions.users)
    var account: String

    @Option(help: "The account's UPN, where ACCOUNT is its id.")
    var upn: String?

    @Option(help: ArgumentHelp("The account's id, where ACCOUNT is its UPN.", valueName: "id"))
    var accountId: String?

    @Option(help: ArgumentHelp("The id of the account's tenant.", valueName: "id"))
    var tenant: String?

    @OptionGroup var token: TokenOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func validate() throws {
        if account.contains("@") ? upn != nil : accountId != nil {
            throw ValidationError("ACCOUNT and \(account.contains("@") ? "--upn" : "--account-id") say the same")
        }
    }

    func run() throws {
        let isName = account.contains("@")
        let request = JSON.members([
            "accountId": (isName ? accountId : account).map(JSON.string),
            "upn": (isName ? account : upn).map(JSON.string),
            "tenantId": tenant.map(JSON.string),
        ]).text
        try Session.open(session, firstRun: .begins, token: token.of(account)) { session in
            let reply = try session.operate { mam_register_and_enroll($0, request, $1) }
            try output.showStatus(reply, session: self.session)
            // The wipe has succeeded, and the account is not enrolled.
            if try JSON(parsing: reply)["name"] == "wipeReceived" { throw CommandError.silent(.failed) }
        }
    }
}
