import ArgumentParser
import CMam
import Glibc
import MAMValues

/// `mamctl diagnose`
struct Diagnose: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Show what helps to find out why something goes wrong.",
        discussion: """
            Versions, the app, the authority and who guards it, the keys' keeper, the state, every account with \
            its check-ins, unfinished wipes, unenrollments that are not reported yet, the log files and the \
            latest log lines. There are no secrets in it, but names of people.

            --all collects this of every app of the group, with settings, policies, logs and what 'mamctl doctor' \
            finds, in a tar archive to send to a support person. Names of people are left out of it: 32 hexadecimal \
            digits stand for an account, as in the logs.

            Example:
              mamctl diagnose --json > diagnosis.json
              mamctl diagnose --all -o diagnosis.tar
            """)

    @Flag(help: "Collect everything of every app of the group in a tar archive.")
    var all = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The archive to write; - is standard output, and the default where that is no terminal.", valueName: "file"),
        completion: .file())
    var file: String?

    @Flag(help: "Replace an archive that is there already.")
    var force = false

    @Flag(help: "Leave names of people in the archive, and verbose lines of the logs.")
    var names = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func validate() throws {
        guard all || file == nil && !force && !names else {
            throw ValidationError("--output, --force and --names go with --all")
        }
        guard !all || !output.json || file != nil && file != "-" else {
            throw ValidationError("--json with --all says what was written to a file: give --output FILE")
        }
    }

    func run() throws {
        if all { return try writeArchive() }
        try Session.open(session, firstRun: .fails) { session in
            try output.show(session.text { mam_diagnostics($0, $1) }, Text.outline)
        }
    }

    private func writeArchive() throws {
        let path = file ?? "-"
        guard path != "-" || !Output.isTerminal else {
            throw CommandError.usage("an archive is not for a terminal: give --output FILE")
        }
        guard path == "-" || force || attributes(path) == nil else {
            throw CommandError.failed("\(path) is there already; --force replaces it", status: MAM_ERR_ALREADY)
        }
        let support = SupportArchive(try SupportReports(session), keepsNames: names)
        for failure in support.failures {
            let app = failure["app"].string.map { "\($0): " } ?? ""
            Output.complain("mamctl: \(Text.clean("\(app)\(Text.value(failure["message"]))"))")
        }
        guard path != "-" else { return try support.archive.bytes.withUnsafeBytes { try Output.write($0) } }
        let content = try FileReplacement(of: path, mode: 0o600).begin()
        try support.archive.bytes.withUnsafeBytes { try content.write($0) }
        try content.commit()
        let members = support.archive.names
        let reply = JSON.members([
            "file": .string(path), "apps": .array(support.apps.map(JSON.string)), "names": .bool(names),
            "members": .array(members.map(JSON.string)), "failures": .array(support.failures),
        ])
        try output.show(reply.text) { _ in
            ["\(path): \(members.count) files; names of people are \(names ? "in it" : "left out")"]
        }
    }
}
