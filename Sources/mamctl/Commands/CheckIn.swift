import ArgumentParser
import CMam
import MAMValues

/// `mamctl checkin`
struct CheckIn: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkin",
        abstract: "Ask the authority for policy and commands now.",
        discussion: """
            Without ACCOUNT every enrolled account checks in, and the worst result is shown. A wipe that the \
            administrator has requested is done before this command ends, and shown for each account. Whatever else is due is done first: \
            an enrollment that failed is tried again, an account whose registration was gone is re-enrolled. \
            --all-apps does this for every app with an account in the state directory, and shows each; for a \
            final app of the system's configuration file alone where there is one. A directory there that this user \
            may not use is named with the reason, and the exit status is 1, as for a state directory that is named and not there; where no \
            app has an account, one line says so.

            Example:
              mamctl checkin ann@contoso.example
              mamctl checkin --all-apps
            """,
        aliases: ["check-in"])

    @Argument(
        help: "The account: a UPN or an account id (default: every enrolled one).", completion: Completions.accounts)
    var account: String?

    @Flag(help: "Check in every app with an account in the state directory.")
    var allApps = false

    @OptionGroup var token: TokenOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func validate() throws {
        guard !allApps || account == nil && session.app == nil && session.group == nil else {
            throw ValidationError("--all-apps goes with neither ACCOUNT nor --app nor --group")
        }
    }

    func run() throws {
        guard !allApps else { return try AllApps(session: session, output: output).each(checkIn) }
        try session.checkRun(status: MAM_ERR_NOT_ENROLLED)
        try Session.open(session, firstRun: .manages, token: token.of(account)) { session in
            let statuses = try session.checkIn(account, output)
            for status in statuses { try output.showStatus(status.text, session: self.session) }
            guard statuses.isEmpty else { return }
            // libmam's own refusal: nobody is enrolled.
            try output.showStatus(session.operate { mam_check_in($0, account, $1) }, session: self.session)
        }
    }

    private func checkIn(_ app: String, _ options: SessionOptions) throws -> Bool {
        try Session.open(options, token: token.of(nil)) { session in
            let statuses = try session.checkIn(nil, output)
            for status in statuses { try show(status, of: app) }
            guard statuses.isEmpty else { return true }
            let closed = try JSON(parsing: session.text { mam_diagnostics($0, $1) })["closedAccounts"].elements
            guard closed.isEmpty else {
                throw CommandError.ended("its account is closed; mamctl status\(options.words) says why")
            }
            return false
        }
    }

    private func show(_ status: JSON, of app: String) throws {
        let succeeded = status["didSucceed"] == .bool(true)
        guard !output.json else {
            try Output.line(JSON.object([("app", .string(app))] + status.members).text)
            guard succeeded else { throw CommandError.silent(.failed) }
            return
        }
        let account = (status["identity"].string ?? status["accountId"].string).map { "\($0): " } ?? ""
        let code = "(\(Text.value(status["name"])), \(status["code"].text))"
        let line = "\(account)\(Text.value(status["message"])) \(code)"
        guard succeeded else { throw CommandError.ended(line) }
        try Output.line(Text.clean("\(app): \(line)"))
    }
}
