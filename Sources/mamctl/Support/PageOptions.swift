import ArgumentParser

/// The options of commands that can write their report as a page.
struct PageOptions: ParsableArguments {
    @Flag(help: "Print one HTML page, to send to others; it has no scripts and loads nothing.")
    var html = false

    @Option(
        help: ArgumentHelp(
            "Write the page to this file, which is replaced as a whole or not at all (default: standard output).",
            valueName: "file"), completion: .file())
    var output: String?

    /// Fail for options that contradict each other.
    func check(_ output: OutputOptions) throws {
        guard html || self.output == nil else { throw ValidationError("--output goes with --html") }
        guard !(html && output.json) else { throw ValidationError("give one of --html and --json") }
    }

    /// Write the text of a page.
    func write(_ text: String) throws {
        guard let output else { return try Array(text.utf8).withUnsafeBytes { try Output.write($0) } }
        let content = try FileReplacement(of: output, source: "-").begin()
        try Array(text.utf8).withUnsafeBytes { try content.write($0) }
        try content.commit()
    }
}
