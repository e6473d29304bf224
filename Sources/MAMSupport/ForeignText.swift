/// Formats foreign text for messages.
public enum ForeignText {
    /// Returns one line of bounded length, with control characters and line separators replaced by spaces.
    public static func bounded(_ text: String, limit: Int = 400) -> String {
        // The common case.
        if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            let isBreak =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
            out.append(isBreak ? " " : scalar)
        }
        if text.unicodeScalars.count > limit { out.append("…") }
        return String(out)
    }

    /// The same in quotation marks.
    public static func quoted(_ text: String) -> String { "\"\(bounded(text, limit: 80))\"" }
}
