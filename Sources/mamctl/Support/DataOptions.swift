import ArgumentParser
import CMam

/// Where the data of a filter comes from and goes to.
struct DataOptions: ParsableArguments {
    @Argument(help: "The file to read (default: standard input).", completion: .file())
    var file: String = "-"

    @Option(
        help: ArgumentHelp(
            "Write to this file, which is replaced as a whole or not at all (default: standard output).",
            valueName: "file"), completion: .file())
    var output: String?

    /// Begin to read, before anything is opened that others may wait for.
    func passage(isQuiet: Bool) throws -> Passage {
        let replacement = try output.map { try Replacement(of: $0, source: file) }
        return Passage(source: try InputPieces(file), target: DataTarget(replacement), isQuiet: isQuiet)
    }
}
