/// A line that may be coloured, where that is welcome; its words mean the same without.
struct StyledLine {
    enum Style {
        case plain, title, good, bad

        /// The parameter of SGR.
        fileprivate var code: String? {
            switch self {
            case .plain: nil
            case .title: "1"
            case .good: "32"
            case .bad: "33"
            }
        }
    }

    private let words: String
    private let style: Style

    init(_ words: String, _ style: Style = .plain) {
        self.words = words
        self.style = style
    }

    /// Cleaned first: what a name holds cannot colour anything.
    var text: String {
        let clean = Text.clean(words)
        guard let code = style.code, Output.hasColours else { return clean }
        return "\u{1b}[\(code)m\(clean)\u{1b}[0m"
    }
}
