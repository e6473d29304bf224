/// Comparing texts.
enum Text {
    /// Byte order: no locale, no normalisation.
    static func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}
