import ArgumentParser
import CMam
import MAMValues

/// `mamctl version`
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the versions of mamctl and of libmam.",
        discussion: """
            mamctl's version is that of the header it was made with; libmam's is that of the library it runs \
            with.

            Example:
              mamctl version
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let library = String(cString: mam_version())
        let versions = JSON.members([
            "mamctl": .string(MAM_VERSION), "libmam": .string(library), "abi": .number(mam_abi_version()),
        ])
        try output.show(versions.text) { _ in [Version.line] }
    }

    static var line: String {
        "mamctl \(MAM_VERSION), libmam \(String(cString: mam_version())), ABI \(mam_abi_version())"
    }
}
