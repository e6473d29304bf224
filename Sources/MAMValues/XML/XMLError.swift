/// The first fault of text that is not XML, or not the XML that is read here.
public struct XMLError: Error {
    /// The fault.
    public let message: String
    /// The offset in bytes.
    public let offset: Int

    /// Create an error.
    public init(message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }
}

/// The number of the line that has the byte at an offset, from 1.
public func lineNumber(of offset: Int, in bytes: [UInt8]) -> Int {
    1 + bytes.prefix(max(0, offset)).count { $0 == 0x0A }
}
