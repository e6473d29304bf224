import ArgumentParser
import CMam
import MAMValues

/// `mamctl register`
struct Register: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Make names known that are not enrolled.",
        discussion: """
            A name in the organisation's domain that is no account of this app is refused wherever data is stored, \
            since it is more likely misspelt than meant. A shared mailbox or a colleague is made known with this \
            command; 'mamctl unenroll' forgets the name. Without a name the known ones are listed.

            Example:
              mamctl register desk@contoso.example
              mamctl register
            """)

    @Argument(help: "Names to make known: UPNs or account ids.")
    var accounts: [String] = []

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try Session.open(session, firstRun: accounts.isEmpty ? .manages : .begins) { session in
            for account in accounts { try session.perform { mam_register_account($0, account) } }
            guard accounts.isEmpty else { return }
            let known = try session.text { mam_known_accounts($0, $1) }
            if output.json { return try Output.line(known) }
            for name in try JSON(parsing: known).elements { try Output.line(name.string ?? "") }
        }
    }
}
