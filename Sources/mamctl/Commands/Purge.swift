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
        try Session.open(session, firstRun: .fails) { session in
            if let names = try older(session) {
                throw CommandError.failed(
                    "the state is older than one that was in use here, so that keys of accounts made since cannot be counted: check in "
                        + "first. \(names): where such an account cannot check in any more, mamctl wipe removes it with its keys",
                    status: MAM_ERR_TAMPERED)
            }
            let shares = try yes ? purged(session) : found(session)
            let count = Text.value(shares)
            if output.json { return try Output.line("{\"shares\":\(count)}") }
            try Output.line(yes ? "\(count) keys removed" : "\(count) keys of no account; --yes removes them")
        }
    }

    /// The accounts that are closed because an older state was put back; nil without any.
    private func older(_ session: Session) throws -> String? {
        let closed = try JSON(parsing: session.text { mam_diagnostics($0, $1) })["closedAccounts"].elements
            .filter { $0["detail"]["reason"] == .string("regress") }
        guard !closed.isEmpty else { return nil }
        return closed.map { $0["upn"].string ?? Text.value($0["accountId"]) }.joined(separator: ", ")
    }

    private func purged(_ session: Session) throws -> JSON {
        do { return try JSON(parsing: session.text { mam_purge($0, $1) })["shares"] } catch let error as CommandError {
            guard mam_last_status() == MAM_ERR_TAMPERED else { throw error }
            throw error.appending("where nobody can check in any more, end the programs and remove the directory")
        }
    }

    private func found(_ session: Session) throws -> JSON {
        try JSON(parsing: session.text { mam_diagnostics($0, $1) })["unlistedShares"]["count"]
    }
}
