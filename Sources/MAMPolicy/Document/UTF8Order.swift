/// The order of texts.
enum UTF8Order {
    /// Compares by bytes, without locale or normalisation.
    static func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}
