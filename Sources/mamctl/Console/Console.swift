import ArgumentParser
import CMam
import Glibc
import MAMValues

/// `mamctl console`
struct Console: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Watch the app in the terminal: versions, device, check-ins, policy, PIN and log.",
        discussion: """
            Shows the content of the Intune App SDK's diagnostic console, and again when it changes. Nothing that is \
            due is done by looking, and no event is taken from the app.

            q ends it, the arrows and Page Up and Down move, left and right choose the account, v switches the verbose \
            log, which then names people, and p resets the account's PIN after the person has signed in. Where \
            standard output is no terminal it prints once and ends.

            Example:
              mamctl console
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        guard Screen.isAvailable, !output.json else {
            return try Session.open(session) { session in
                let report = try ConsoleReport(of: session, selected: 0)
                try output.show(report.json.text) { _ in report.lines.map(\.words) }
            }
        }
        let answers = {
            QuestionDelegate(account: nil, token: nil, replies: [:], prompts: true, pins: PINSource(.terminal))
        }
        try Session.open(session, firstRun: .stores, token: answers) { session in
            var page = try ConsolePage(session)
            try page.run()
        }
    }
}
