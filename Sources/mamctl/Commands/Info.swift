import ArgumentParser
import CMam
import MAMValues

/// `mamctl info`
struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show who owns protected data, without opening it.",
        discussion: """
            Shows the owner, the algorithm (sealed, or only labelled), the key and the plain length of a \
            container. "Authenticated: no" says that this app has no key to check the label with. With --prefix \
            only the first bytes are read, of a container of any size or one that is still arriving: the label of \
            an unmanaged account's data is not checked then, and a stream's length is not known.

            Example:
              mamctl info plan.mam
            """)

    /// The longest container; mam_protection_info needs all of it.
    private static let maximumDataLength = 64 << 20

    @Argument(help: "The file to look at (default: standard input).", completion: .file())
    var file: String = "-"

    @Flag(help: "Read the first bytes only.")
    var prefix = false

    @OptionGroup var output: OutputOptions
    @OptionGroup(title: "Session options") var session: SessionOptions

    func run() throws {
        let data =
            if prefix {
                try Input.prefix(Int(MAM_PROTECT_OVERHEAD), of: file)
            } else {
                try Input.file(file, limit: mam_protect_bound(Info.maximumDataLength))
            }
        try Session.open(session) { session in
            do {
                let information = try data.withBytes { try Info.text(of: $0, isPrefix: prefix, session) }
                try output.show(information) { Text.outline(Info.named($0)) }
            } catch let error as CommandError where mam_last_status() == MAM_ERR_NOT_PROTECTED && file != "-" {
                throw error.appending("'mamctl file info' shows the owner of a file")
            }
        }
    }

    /// The information about a container.
    static func of(_ container: UnsafeRawBufferPointer, _ session: Session) throws -> JSON {
        try JSON(parsing: text(of: container, isPrefix: false, session))
    }

    private static func text(
        of container: UnsafeRawBufferPointer, isPrefix: Bool, _ session: Session
    ) throws -> String {
        let info = isPrefix ? mam_protection_info_prefix : mam_protection_info
        return try session.text {
            info($0, container.bindMemory(to: UInt8.self).baseAddress, container.count, $1)
        }
    }

    /// Replace the number of the algorithm by its name.
    private static func named(_ information: JSON) -> JSON {
        .object(
            information.members.map { member in
                guard member.key == "algorithm" else { return member }
                let names = ["0": "labelled", "1": "sealed"]
                return (member.key, names[member.value.text].map(JSON.string) ?? member.value)
            })
    }
}
