/// Formats foreign text for messages.
public enum ForeignText {
    /// Returns one line of bounded length, with control characters, line separators, and marks that change the direction of what
    /// follows, replaced by spaces.
    public static func bounded(_ text: String, limit: Int = 400) -> String {
        // The common case.
        if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            let isControl =
                switch scalar.value {
                case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
                default: false
                }
            out.append(isControl ? " " : scalar)
        }
        if text.unicodeScalars.count > limit { out.append("…") }
        return String(out)
    }

    /// The same in quotation marks.
    public static func quoted(_ text: String) -> String { "\"\(bounded(text, limit: 80))\"" }
}
