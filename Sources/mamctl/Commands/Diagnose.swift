import ArgumentParser
import CMam

/// `mamctl diagnose`
struct Diagnose: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Show what helps to find out why something goes wrong.",
        discussion: """
            Versions, the app, the authority and who guards it, the keys' keeper, the state, every account with \
            its check-ins, unfinished wipes, unenrollments that the authority has not heard of, and the latest \
            log lines. There are no secrets in it, but names of people.

            Example:
              mamctl diagnose --json > diagnosis.json
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session) { session in
            try output.show(session.text { mam_diagnostics($0, $1) }, Text.outline)
        }
    }
}
