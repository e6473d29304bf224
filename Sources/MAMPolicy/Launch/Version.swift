/// A version of an operating system, an app or this library: major.minor[.build[.revision]], compared part by part.
public struct Version: Comparable, Sendable {
    /// The maximum length of a version's text, in bytes.
    static let maximumLength = 96
    private let parts: [Int64]

    /// Parses a version; nil if the text is not one. Missing parts are 0.
    public init?(_ text: String) {
        guard text.utf8.count <= Version.maximumLength, let parts = SettingKind.version(text) else { return nil }
        self.parts = parts
    }

    /// Compares part by part.
    public static func < (a: Version, b: Version) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }
}
