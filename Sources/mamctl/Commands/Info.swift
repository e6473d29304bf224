import ArgumentParser
import CMam

/// `mamctl info`
struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show who owns protected data, without opening it.",
        discussion: """
            Tells the owner, the algorithm, the key and the plain length of a container. "Authenticated: no" \
            says that this app has no key to check the label with.

            Example:
              mamctl info plan.mam
            """)

    @Argument(help: "The file to look at (default: standard input).", completion: .file())
    var file: String = "-"

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        let data = try Input.file(file, limit: mam_protect_bound(Protect.longestData))
        try Session.open(session) { session in
            let information = try data.withBytes { bytes in
                try session.text {
                    mam_protection_info($0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, $1)
                }
            }
            try output.show(information, Text.outline)
        }
    }
}
