import ArgumentParser
import CMam
import MAMValues

/// `mamctl purge`
struct Purge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove keys that no account of the state has.",
        discussion: """
            They remain where an older state.db was put back and the newest one is lost. Nothing else removes them, \
            and data that they are for cannot be read any more: put the newest state.db back if there is one. \
            'mamctl diagnose' names them (unlistedShares). While the state is older than one that was in use here, \
            check in first.

            Example:
              mamctl purge --yes
            """)

    @Flag(help: "Remove them; without it they are only counted.")
    var yes = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        try Session.open(session) { session in
            let shares = try yes ? JSON(parsing: session.text { mam_purge($0, $1) })["shares"] : found(session)
            let count = Text.value(shares)
            if output.json { return try Output.line("{\"shares\":\(count)}") }
            try Output.line(yes ? "\(count) keys removed" : "\(count) keys of no account; --yes removes them")
        }
    }

    private func found(_ session: Session) throws -> JSON {
        try JSON(parsing: session.text { mam_diagnostics($0, $1) })["unlistedShares"]["count"]
    }
}
