/// Outside words inside messages for people.
enum Text {
    /// One line of bounded length: control characters become spaces.
    static func line(_ text: String, limit: Int = 400) -> String {
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            let isBreak =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
            out.append(isBreak ? " " : scalar)
        }
        if text.unicodeScalars.count > limit { out.append("…") }
        return String(out)
    }

    /// Byte order: no locale, no normalisation.
    static func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}
