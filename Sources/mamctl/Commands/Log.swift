import ArgumentParser
import CMam
import MAMValues

/// `mamctl log`
struct Log: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Find the app's log files.",
        discussion: """
            Every program of the app writes what happens to a log file in the state directory: no keys, tokens or \
            data, and no names of people unless VerboseLoggingEnabled is true.

            Example:
              mamctl log paths
            """,
        subcommands: [Paths.self])

    /// `mamctl log paths`
    struct Paths: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "paths",
            abstract: "Print the paths of the log files, the newest first.",
            discussion: """
                At most two of 256 KiB each; with --json a list. A line has the time, its level, the process and the \
                message. They may be removed at any time.

                Example:
                  mamctl log paths
                  tail -f "$(mamctl log paths | head -n 1)"
                """)

        @OptionGroup var output: OutputOptions
        @OptionGroup(title: "Session options") var session: SessionOptions

        func run() throws {
            try Session.open(session, firstRun: .stores) { session in
                try output.show(session.text { mam_log_paths($0, $1) }) { $0.elements.map(Text.value) }
            }
        }
    }
}
