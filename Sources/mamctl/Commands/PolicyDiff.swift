import ArgumentParser
import CMam
import MAMValues

extension Policy {
    /// `mamctl policy diff`
    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff",
            abstract: "Say what gets stricter or looser when other policies take the place of these.",
            discussion: """
                Launches that begin or stop to block or wipe accounts come first. Several policies in a file are \
                merged, as for an account that all of them reach. The exit status is 3 where something gets looser. \
                Nothing but the files is read.

                Example:
                  mamctl policy diff relaxed.json strict.json
                """)

        @Argument(help: "The policies in force; - for standard input.", completion: .file())
        var before: String

        @Argument(help: "The new policies.", completion: .file())
        var after: String

        @OptionGroup var type: ExportTypeOption
        @OptionGroup var output: OutputOptions

        func run() throws {
            let (old, new) = (type.request(try Input.jsonFile(before)), type.request(try Input.jsonFile(after)))
            let reply = try Library.text { mam_policy_diff(old.text, new.text, $0) }
            let diff = try JSON(parsing: reply)
            let (changes, launch) = (diff["changes"].elements, LaunchChangeReport.lines(diff["launch"]))
            try output.show(reply) { _ in
                let rows = changes.map { change in
                    [
                        Text.value(change["change"]), Text.value(change["setting"]),
                        Text.setting(change["before"]), Text.setting(change["after"]),
                    ]
                }
                let table = Table(titles: ["", "setting", "before", "after"], rows: rows)
                return launch + table.lines(none: "nothing changes")
            }
            if changes.contains(where: { $0["change"] == .string("looser") }) { throw CommandError.refused(nil) }
        }
    }
}
