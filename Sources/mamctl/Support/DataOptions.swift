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

    /// Read what is there, before anything is opened that others may wait for.
    func read(limit: Int) throws -> Passage {
        let replacement = try output.map { try Replacement(of: $0, source: file) }
        return Passage(bytes: try Input.file(file, limit: limit), replacement: replacement)
    }

    /// Data on its way through mamctl.
    struct Passage {
        fileprivate let bytes: SecretBytes
        fileprivate let replacement: Replacement?

        func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
            try bytes.withBytes(body)
        }

        /// Write what became of it.
        func write(_ result: UnsafeRawBufferPointer) throws {
            guard let replacement else { return try Output.write(result) }
            try replacement.write(result)
        }
    }
}
