import ArgumentParser

/// The type of a document that does not say it itself. libmam knows what each word means.
enum ExportType: String, ExpressibleByArgument, CaseIterable {
    case ios, android, windows, linux
    case `default`
    case config
}

/// The option of every command that reads exports.
struct ExportTypeOption: ParsableArguments {
    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "The type of documents of which neither @odata.type nor @odata.context says it.", valueName: "type"))
    var type: ExportType?

    /// The value in a request.
    var json: JSON? { type.map { .string($0.rawValue) } }

    /// An export as mam_policy_lint and mam_policy_diff take it.
    func request(_ document: JSON) -> JSON {
        type == nil || document == .null ? document : JSON.members(["document": document, "type": json])
    }
}
