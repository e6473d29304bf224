/// A file as it should be, and the difference in words.
public struct Configured: Sendable {
    /// The content; the very bytes that were given where nothing is to be changed.
    public internal(set) var bytes: [UInt8]
    /// The changes, one a line. Empty exactly where the bytes are those that were given.
    public internal(set) var changes: [String] = []
    /// Findings for a person to look at: the tool changed nothing about them.
    public internal(set) var warnings: [String] = []
}
