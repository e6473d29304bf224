import ArgumentParser
import CMam

/// The input and output of a filter command.
struct FilterOptions: ParsableArguments {
    @Argument(help: "The file to read (default: standard input).", completion: .file())
    var file: String = "-"

    @Option(
        help: ArgumentHelp(
            "Write to this file, which is replaced as a whole or not at all (default: standard output).",
            valueName: "file"), completion: .file())
    var output: String?

    /// Read the first chunk before a session is opened, since other processes may have to wait for the session.
    func transfer(isQuiet: Bool) throws -> StreamTransfer {
        let replacement = try output.map { try FileReplacement(of: $0, source: file) }
        return StreamTransfer(source: try ChunkedInput(file), target: FilterOutput(replacement), isQuiet: isQuiet)
    }
}
