import ArgumentParser
import MAMValues

/// The type of documents that do not state one. libmam interprets the words.
enum ExportType: String, ExpressibleByArgument, CaseIterable {
    case ios, android, windows, linux
    case `default`
    case config
}

/// The option of commands that read exports.
struct ExportTypeOption: ParsableArguments {
    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "The type of documents of which neither @odata.type nor @odata.context says it.", valueName: "type"))
    var type: ExportType?

    /// The value for a request.
    var json: JSON? { type.map { .string($0.rawValue) } }

    /// The export in the form of mam_policy_lint and mam_policy_diff.
    func request(_ document: JSON) -> JSON {
        type == nil || document == .null ? document : JSON.members(["document": document, "type": json])
    }
}
