import ArgumentParser
import CMam

/// `mamctl pause`
struct Pause: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Report that the app is out of sight.",
        discussion: """
            From here on the app counts as not used: what a person has shown holds for the apps of the group until \
            none of them was used for the policy's periodOnlineBeforeAccessCheck.

            Example:
              mamctl pause
            """)

    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session) { session in try session.pause() }
    }
}

/// `mamctl resume`
struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Find out whether the app may go on showing data.",
        discussion: """
            Does what a program does when it is seen again: looks as "mamctl launch" does, without enrolling anybody. \
            Prints "allowed", "warned", "blocked" or "wiped", and each finding on standard error. The exit status is \
            3 for blocked and wiped. --user-message prints nothing but the messages for the user.

            Example:
              mamctl resume --answer 'authenticate={"authenticated":true,"method":"credentials"}'
            """)

    @OptionGroup var token: TokenOptions
    @OptionGroup var pins: PINOptions
    @OptionGroup var messages: MessageOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try messages.language.choose()
        try LaunchOutcome.show(output, isForUser: messages.userMessage) { tell in
            try Session.open(session, token: token.of(nil, prompts: false, pins: pins)) { session in
                tell(try session.operate { mam_resume($0, $1) })
            }
        }
    }
}
