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

            Example:
              mamctl account ann@contoso.example
              mamctl account ann@contoso.example --json
            """)

    @Argument(help: "A UPN or an account id.")
    var account: String

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try Session.open(session) { session in
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
}
