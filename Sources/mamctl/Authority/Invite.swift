import ArgumentParser
import MAMValues

extension Users {
    /// `mamctl authority user invite`
    struct Invite: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "invite",
            abstract: "Print a code that enrolls a user with a service, once, within 24 hours.",
            discussion: """
                Only a service (mamd) takes invitations: name its socket with --authority or MAM_AUTHORITY. The code is a \
                secret, which 'mamctl enroll --invite' reads from a file.

                Example:
                  mamctl authority user invite ann@contoso.example > code
                """)

        @Argument(help: "The user: a UPN or an account id.", completion: Completions.users)
        var user: String

        @Option(
            help: ArgumentHelp("The only app that the code enrolls.", valueName: "id"), completion: Completions.apps)
        var app: String?

        @OptionGroup var authority: AuthorityOptions

        func run() throws {
            let path = try authority.path()
            guard ServiceSocket.isOne(path) else {
                throw CommandError.usage(
                    "\(path) is not the socket of a running service, and only a service takes invitations: name mamd.sock in its "
                        + "folder")
            }
            try authority.perform("invitation.create", ["user": .string(user), "app": app.map(JSON.string)]) {
                if let note = $0["note"].string { Output.complain("mamctl: note: \(Text.clean(note))") }
                return [Text.value($0["code"])]
            }
        }
    }
}
