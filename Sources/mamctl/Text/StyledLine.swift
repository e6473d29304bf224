/// A line with an optional colour, which carries no meaning of its own.
struct StyledLine {
    enum Style {
        case plain, title, good, bad

        /// The SGR parameter.
        fileprivate var code: String? {
            switch self {
            case .plain: nil
            case .title: "1"
            case .good: "32"
            case .bad: "33"
            }
        }
    }

    let words: String
    private let style: Style

    init(_ words: String, _ style: Style = .plain) {
        self.words = words
        self.style = style
    }

    /// The line, cut to a width.
    func cut(to width: Int) -> StyledLine { StyledLine(Text.cut(Text.clean(words), to: width), style) }

    /// The text is cleaned first, so that names cannot contain escape sequences.
    var text: String {
        let clean = Text.clean(words)
        guard let code = style.code, Output.hasColours else { return clean }
        return "\u{1b}[\(code)m\(clean)\u{1b}[0m"
    }
}
