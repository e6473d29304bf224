extension JSON {
    /// The value as compact text.
    var text: String {
        var text = ""
        write(to: &text, indent: nil)
        return text
    }

    /// The value on several lines, each level two columns further in.
    var indentedText: String {
        var text = ""
        write(to: &text, indent: 0)
        return text
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let string): JSON.write(string, to: &text)
        case .array(let elements):
            JSON.write(elements, in: "[]", to: &text, indent: indent) { element, text, indent in
                element.write(to: &text, indent: indent)
            }
        case .object(let members):
            JSON.write(members, in: "{}", to: &text, indent: indent) { member, text, indent in
                JSON.write(member.key, to: &text)
                text += indent == nil ? ":" : ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Item>(
        _ items: [Item], in brackets: String, to text: inout String, indent: Int?,
        _ writeItem: (Item, inout String, Int?) -> Void
    ) {
        let inner = indent.map { $0 + 2 }
        text += brackets.prefix(1)
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            startLine(&text, inner)
            writeItem(item, &text, inner)
        }
        if !items.isEmpty { startLine(&text, indent) }
        text += brackets.suffix(1)
    }

    private static func startLine(_ text: inout String, _ indent: Int?) {
        guard let indent else { return }
        text += "\n" + String(repeating: " ", count: indent)
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0"..<" ": text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
