import ArgumentParser
import CMam

/// `mamctl launch`
struct Launch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find out whether the app may show data.",
        discussion: """
            Does what a program does when it starts: enrolls an account where the setting AutoEnrollOnLaunch says \
            so, and looks whether a policy is there that MAMPolicyRequired or MAMPolicyWarnAbsent ask for. Prints \
            "allowed", "warned" or "blocked", and each finding on standard error. The exit status is 3 for blocked.

            Example:
              mamctl launch && ./notes
            """)

    @OptionGroup var token: TokenOptions
    @OptionGroup var pins: PINOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        let text = try Session.open(session, token: token.of(nil, prompts: true, pins: pins)) { session in
            try session.operate { mam_launch($0, $1) }
        }
        let report = try JSON(parsing: text)
        try output.show(text) { [Text.value($0["outcome"])] }
        let findings = report["findings"].elements.map { Text.value($0["message"]) }
        let isBlocked = report["didSucceed"] != .bool(true)
        if !output.json {
            for finding in isBlocked ? findings.dropFirst() : findings[...] { Output.complain(Text.clean(finding)) }
        }
        if isBlocked { throw Failure.refused(findings.first ?? "blocked") }
    }
}
