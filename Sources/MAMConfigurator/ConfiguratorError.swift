import MAMValues

/// Why a file could not be configured.
public struct ConfiguratorError: Error {
    /// The fault, as the rest of a sentence that begins with the file's name.
    public let message: String

    init(_ message: String) { self.message = message }

    init(_ message: String, line: Int?) {
        self.init(line.map { "\(message), in line \($0)" } ?? message)
    }

    /// XML that cannot be read.
    init(_ error: XMLError, in bytes: [UInt8]) {
        self.init("is not valid XML: \(error.message)", line: lineNumber(of: error.offset, in: bytes))
    }
}
