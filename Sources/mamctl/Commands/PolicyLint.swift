import ArgumentParser
import CMam
import MAMValues

extension Policy {
    /// `mamctl policy lint`
    struct Lint: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lint",
            abstract: "Say what is the matter with policies before they are rolled out.",
            discussion: """
                A warning is a setting that can wipe an account on this platform (with what triggers it, and how to \
                choose otherwise), one that does not do what it seems to, a name that no property has, or an app \
                or assignment that reaches no user; a note is a setting that does nothing. The exit status is 3 \
                where there is a warning. Nothing but the file is read.

                Example:
                  mamctl policy lint strict.json
                """)

        @Argument(help: "The exported JSON; - for standard input.", completion: .file())
        var file: String

        @OptionGroup var type: ExportTypeOption
        @OptionGroup var output: OutputOptions

        func run() throws {
            let document = type.request(try Input.jsonFile(file))
            let reply = try Library.text { mam_policy_lint(document.text, $0) }
            let findings = try JSON(parsing: reply)["policies"].elements.flatMap { policy in
                policy["findings"].elements.map { (policy: policy, finding: $0) }
            }
            try output.show(reply) { _ in
                let rows = findings.map { policy, finding in
                    [
                        Text.value(finding["severity"]), Text.value(policy["name"]), Text.value(finding["setting"]),
                        Text.value(finding["message"]),
                    ]
                }
                return Table(titles: ["", "policy", "setting", "what is the matter"], rows: rows)
                    .lines(none: "nothing is the matter")
            }
            if findings.contains(where: { $0.finding["severity"] == .string("warning") }) {
                throw CommandError.refused(nil)
            }
        }
    }
}
