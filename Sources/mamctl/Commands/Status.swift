import ArgumentParser
import CMam

/// `mamctl status`
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the app's accounts and their state.",
        discussion: """
            One line for each registered account: whether it is enrolled and managed, when it checked in last, \
            when it does so next, and the code its last request ended with. With --json, one account a line.

            Example:
              mamctl status
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session) { session in
            let settings = try session.text { mam_settings($0, $1) }
            let allowed = try session.text { mam_allowed_accounts($0, $1) }
            try output.showList(session.text { mam_registered_accounts($0, $1) }) { accounts in
                try lines(accounts.elements, settings: JSON(parsing: settings), allowed: JSON(parsing: allowed))
            }
        }
    }

    private func lines(_ accounts: [JSON], settings: JSON, allowed: JSON) -> [String] {
        let authority = settings["authority"]
        let custody = authority["custody"].string.map { " (\($0))" } ?? ""
        var fields = [
            ("app", Text.value(settings["app"]["id"])),
            ("state", Text.value(settings["stateDirectory"])),
            ("authority", Text.value(authority["path"]) + custody),
        ]
        if allowed != .null { fields.append(("allowed accounts", Text.value(allowed))) }
        let rows = accounts.map { account in
            [
                account["upn"].string ?? Text.value(account["accountId"]), Text.value(account["state"]),
                Text.value(account["managed"]), Text.value(account["lastCheckIn"]),
                Text.value(account["nextCheckIn"]), Text.value(account["lastCode"]),
            ]
        }
        let titles = ["account", "state", "managed", "last check-in", "next check-in", "last code"]
        return Text.fields(fields) + [""]
            + Table(titles: titles, rows: rows).lines(none: "no accounts; see 'mamctl enroll --help'")
    }
}
