import ArgumentParser
import CMam

/// `mamctl authority forget`
struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Give up the authority that an app has come to know.",
        discussion: """
            An app accepts no other authority than the one it knows. After this it takes the first one that it finds. Its \
            accounts are closed, with all that they have, until they are enrolled with the former one again; nothing is \
            deleted.

            Example:
              mamctl authority forget --app com.example.notes
            """)

    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session) { session in
            try session.perform { mam_forget_authority($0) }
        }
    }
}
