/// Part of an HTML page. Text is always escaped, so that no name can become markup. Every part is well-formed XML as well.
struct Markup {
    typealias Attributes = KeyValuePairs<StaticString, String>

    let text: String

    private init(verbatim text: String) { self.text = text }

    /// Escaped text; control and format characters are shown as on a terminal.
    init(_ words: String) {
        var escaped = ""
        for scalar in Text.clean(words).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // XML forbids noncharacters.
            case _ where scalar.value & 0xFFFE == 0xFFFE: escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        text = escaped
    }

    /// Text of a cell. A word that is too long for a column may be broken, at the humps of a setting and behind the punctuation of an
    /// id, a path or an address, so that no other word has to be.
    static func cell(_ words: String) -> Markup {
        let parts = words.split(separator: " ", omittingEmptySubsequences: false).map { word in
            (word.count > longestWhole ? pieces(of: word) : [String(word)]).map { Markup($0).text }
        }
        return Markup(verbatim: parts.map { $0.joined(separator: void("wbr").text) }.joined(separator: " "))
    }

    private static let longestWhole = 14

    private static func pieces(of word: Substring) -> [String] {
        var pieces = [""]
        var former: Character = " "
        for character in word {
            let isStart = former.isLowercase && character.isUppercase || "./@:_-,".contains(former)
            if isStart { pieces.append("") }
            pieces[pieces.count - 1].append(character)
            former = character
        }
        return pieces
    }

    static func element(_ name: StaticString, _ content: [Markup], _ attributes: Attributes = [:]) -> Markup {
        Markup(verbatim: "<\(start(name, attributes))>\(content.map(\.text).joined())</\(name)>")
    }

    static func element(_ name: StaticString, _ words: String, _ attributes: Attributes = [:]) -> Markup {
        element(name, [Markup(words)], attributes)
    }

    /// An element that has no content in HTML.
    static func void(_ name: StaticString, _ attributes: Attributes = [:]) -> Markup {
        Markup(verbatim: "<\(start(name, attributes))/>")
    }

    /// A style sheet, which HTML does not unescape.
    static func style(_ rules: StaticString) -> Markup { Markup(verbatim: "<style>\(rules)</style>") }

    /// Parts one below the other.
    static func lines(_ parts: [Markup]) -> Markup { Markup(verbatim: parts.map(\.text).joined(separator: "\n")) }

    private static func start(_ name: StaticString, _ attributes: Attributes) -> String {
        "\(name)" + attributes.map { " \($0.key)=\"\(Markup($0.value).text)\"" }.joined()
    }
}
