import ArgumentParser
import CMam
import MAMValues

/// `mamctl file info`
struct FileInfo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show who owns files, and by what that is known.",
        discussion: """
            One line a file: the account, or - for none, how it is known (attribute, index, both, directory, content \
            or none), whether it is encrypted, and what disagrees.

            Example:
              mamctl file info plan.txt
            """)

    @Argument(help: "Files and directories.", completion: .file())
    var paths: [String]

    @OptionGroup(title: "Session options") var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try Session.open(session) { session in
            let failures = try FileBatch.each(paths) { path in
                let reply = try session.text { mam_file_info($0, path, $1) }
                try output.show(reply) { information in [FileInfo.line(path, information)] }
            }
            try FileBatch.report(failures, output)
        }
    }

    private static func line(_ path: String, _ information: JSON) -> String {
        let account = information["accountId"].string.map { $0.isEmpty ? "\"\"" : $0 } ?? "-"
        let parts = [
            account, information["known"].string, information["encrypted"] == .bool(true) ? "encrypted" : nil,
            information["keyAvailable"] == .bool(false) ? "its key is not here" : nil,
            information["disagreement"].string.map { "disagrees: \($0)" },
        ]
        return "\(path): \(parts.compactMap { $0 }.joined(separator: ", "))"
    }
}
