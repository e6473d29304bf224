import ArgumentParser
import CMam
import MAMValues

/// `mamctl account`
struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Show the account of a name, and whether data may be stored under it.",
        discussion: """
            Prints the registered account whose account id, UPN or former UPN the name is; nothing where there is none. \
            Fails where data would not be stored under the name: it is unknown in the organisation's domain, has left \
            this app, or is no name at all. A script asks before it makes a folder of that name.

            With --former it prints how the account of the name left this app: wiped or unenrolled, when, and for what \
            reason. No program's reading ends this answer, so it acknowledges a wipe. The exit status is 1 where the \
            account has not left.

            Example:
              mamctl account ann@contoso.example
              mamctl account ann@contoso.example --former
              mamctl account ann@contoso.example --json
            """)

    @Argument(help: "A UPN or an account id.")
    var account: String

    @Flag(help: "Show how the account of the name left this app.")
    var former = false

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try Session.open(session) { session in
            guard !former else { return try showFormer(session) }
            try session.perform { mam_check_name($0, account) }
            let found = try session.text { mam_registered_account($0, account, $1) }
            if output.json { return try Output.line(found) }
            let shown = try JSON(parsing: found)
            guard shown != .null else { return }
            for key in ["accountId", "upn", "state", "managed"] {
                guard let text = shown[key].string ?? shown[key].bool.map({ $0 ? "yes" : "no" }) else { continue }
                try Output.line("\(key): \(text)")
            }
        }
    }

    private func showFormer(_ session: Session) throws {
        let found = try session.text { mam_former_account($0, account, $1) }
        let end = try JSON(parsing: found)
        guard end != .null else {
            throw CommandError.failed(
                "\(account): has not left this app, or was never in it", status: MAM_ERR_NOT_FOUND)
        }
        if output.json { return try Output.line(found) }
        let reason = end["reason"].string.map { " (\($0))" } ?? ""
        try Output.line("\(account): \(Text.value(end["end"])) \(Text.value(end["time"]))\(reason)")
    }
}
