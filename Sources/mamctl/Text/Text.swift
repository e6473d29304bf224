import MAMValues

/// Text forms of values.
enum Text {
    /// A value on one line.
    static func value(_ value: JSON) -> String {
        switch value {
        case .null: "-"
        case .bool(let value): value ? "yes" : "no"
        case .integer, .decimal: value.text
        case .string(let string): string.isEmpty ? "-" : string
        case .array(let elements):
            elements.isEmpty ? "-" : elements.map(Text.value).joined(separator: ", ")
        case .object: value.text
        }
    }

    /// A setting's value as it is typed.
    static func setting(_ setting: JSON) -> String {
        switch setting {
        case .bool(let value): value ? "true" : "false"
        case .array(let elements) where !elements.isEmpty: elements.map(Text.setting).joined(separator: ", ")
        default: value(setting)
        }
    }

    /// A key as words: "checkInInterval" becomes "check in interval".
    static func words(_ key: String) -> String {
        var words = ""
        var wasLowercase = false
        for character in key {
            if character.isUppercase, wasLowercase { words += " " }
            words += character.lowercased()
            wasLowercase = character.isLowercase || character.isNumber
        }
        return words
    }

    /// A line for each label and value, in two columns.
    static func fields(_ fields: [(label: String, value: String)]) -> [String] {
        let width = fields.map(\.label.count).max() ?? 0
        return fields.map { "\(pad($0.label, to: width))  \($0.value)" }
    }

    /// The text with control characters escaped: names are not trusted, and terminals interpret control sequences. Commands stand for
    /// functions of mam.h.
    static func clean(_ text: String) -> String {
        var clean = ""
        for scalar in FunctionNames.replaced(in: text).unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format:
                clean += "\\u{\(String(scalar.value, radix: 16))}"
            default: clean.unicodeScalars.append(scalar)
            }
        }
        return clean
    }

    /// The text, cut to a width.
    static func cut(_ text: String, to width: Int) -> String {
        text.count > width ? "\(text.prefix(width - 1))…" : text
    }

    /// The first values of a list, and how many there are besides.
    static func first(_ shown: [JSON], of count: JSON) -> String {
        let more = (count.integer ?? 0) - Int64(shown.count)
        return value(.array(shown)) + (more > 0 ? " and \(more) more" : "")
    }

    /// Lines of at most `width` characters, broken at spaces. A longer word has its own line.
    static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
