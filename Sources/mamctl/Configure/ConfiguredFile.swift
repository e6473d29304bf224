import CMam
import MAMConfigurator
import MAMValues

/// A file that `mamctl configure` reads, configures and replaces.
struct ConfiguredFile {
    private static let maximumLength = PropertyList.maximumLength

    private let path: String
    private let output: String
    /// Nil where nothing is written, or standard output is.
    private let replacement: FileReplacement?
    private let bytes: [UInt8]

    /// The file is looked at before it is read, so that a change between reading and replacing is noticed.
    init(_ path: String, output: String? = nil, isWritten: Bool) throws {
        self.path = path
        self.output = output ?? path
        replacement =
            isWritten && self.output != "-"
            ? try FileReplacement(of: self.output, source: path, standardMode: 0o644) : nil
        bytes = try ConfiguredFile.contents(path)
    }

    private static func contents(_ path: String) throws -> [UInt8] {
        try Input.file(path, limit: maximumLength).withBytes { Array($0) }
    }

    /// Read a file that is not changed. Errors name it.
    static func reading<Value>(_ path: String, _ read: ([UInt8]) throws(ConfiguratorError) -> Value) throws -> Value {
        try named(path, contents(path), read)
    }

    func configure(_ configure: ([UInt8]) throws(ConfiguratorError) -> Configured) throws -> Configured {
        try ConfiguredFile.named(path, bytes, configure)
    }

    private static func named<Value>(
        _ path: String, _ bytes: [UInt8], _ read: ([UInt8]) throws(ConfiguratorError) -> Value
    ) throws -> Value {
        do throws(ConfiguratorError) { return try read(bytes) } catch {
            let name = path == "-" ? "standard input" : path
            throw CommandError.failed("\(name) \(error.message)", status: MAM_ERR_ARGUMENT)
        }
    }

    /// Write the content, unless it is the file's own.
    func write(_ configured: Configured) throws {
        guard let replacement else {
            guard output == "-" else { return }
            return try configured.bytes.withUnsafeBytes { try Output.write($0) }
        }
        guard output != path || !configured.changes.isEmpty else { return }
        let content = try replacement.begin()
        try configured.bytes.withUnsafeBytes { try content.write($0) }
        try content.commit()
    }

    /// Print the changes or the difference, and the warnings to standard error.
    func report(_ configured: Configured, showsDifference: Bool, _ format: OutputOptions) throws {
        let isText = !PropertyList.isBinary(bytes)
        let difference = showsDifference && isText ? UnifiedDiff.text(bytes, configured.bytes, name: path) : nil
        // Standard output has the file.
        let isSilent = replacement == nil && output == "-" && !showsDifference
        if format.json, !isSilent {
            let report = JSON.members([
                "file": .string(path), "changed": .bool(!configured.changes.isEmpty),
                "changes": .strings(configured.changes), "warnings": .strings(configured.warnings),
                "difference": difference.map(JSON.string),
            ])
            return try Output.line(report.text)
        }
        for warning in configured.warnings { Output.complain("warning: \(path): \(Text.clean(warning))") }
        guard !isSilent else { return }
        if let difference { return try show(difference) }
        let changes = configured.changes.isEmpty && !showsDifference ? ["nothing to change"] : configured.changes
        for change in changes { try Output.line(Text.clean("\(path): \(change)")) }
    }

    /// As it is, for patch(1); on a terminal without control characters other than tabs.
    private func show(_ difference: String) throws {
        guard Output.isTerminal else { return try Array(difference.utf8).withUnsafeBytes { try Output.write($0) } }
        for line in difference.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let clean = line.split(separator: "\t", omittingEmptySubsequences: false).map { Text.clean(String($0)) }
            try Output.line(clean.joined(separator: "\t"))
        }
    }
}
