/// A version of a system, an app or this library: major.minor[.build[.revision]], compared part by part.
public struct Version: Comparable, Sendable {
    /// Longest text that is looked at, in bytes.
    static let longest = 96
    private let parts: [Int64]

    /// From text; nil where it is no version. Parts that are missing are 0.
    public init?(_ text: String) {
        guard text.utf8.count <= Version.longest, let parts = SettingKind.version(text) else { return nil }
        self.parts = parts
    }

    /// Whether one is older.
    public static func < (a: Version, b: Version) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }
}
