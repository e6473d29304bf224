/// The first fault of bytes that are not a property list, or not one that is read here.
public struct PropertyListError: Error {
    /// The fault, as the rest of a sentence that begins with the file's name.
    public let message: String
    /// The line of an XML list, from 1; nil if the fault is not in one place.
    public let line: Int?

    init(_ message: String, line: Int? = nil) {
        self.message = message
        self.line = line
    }

    /// A fault of an XML list.
    init(_ error: XMLError, in bytes: [UInt8]) {
        let line = lineNumber(of: error.offset, in: bytes)
        self.init("is not a valid XML property list: \(error.message), in line \(line)", line: line)
    }
}
