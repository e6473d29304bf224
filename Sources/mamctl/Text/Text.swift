/// How values read on a screen.
enum Text {
    /// A value in one line.
    static func value(_ value: JSON) -> String {
        switch value {
        case .null: "-"
        case .bool(let value): value ? "yes" : "no"
        case .number(let digits): digits
        case .string(let string): string.isEmpty ? "-" : string
        case .array(let elements):
            elements.isEmpty ? "-" : elements.map(Text.value).joined(separator: ", ")
        case .object: value.text
        }
    }

    /// The value of a setting, as a person would type it.
    static func setting(_ setting: JSON) -> String {
        switch setting {
        case .bool(let value): value ? "true" : "false"
        case .array(let elements) where !elements.isEmpty: elements.map(Text.setting).joined(separator: ", ")
        default: value(setting)
        }
    }

    /// A key as words: "checkInInterval" is "check in interval".
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

    /// One line each: the label, and the value in a column of its own.
    static func fields(_ fields: [(label: String, value: String)]) -> [String] {
        let width = fields.map(\.label.count).max() ?? 0
        return fields.map { "\(pad($0.label, to: width))  \($0.value)" }
    }

    /// The text without control characters: names come from policies, and a terminal obeys what it is sent.
    static func clean(_ text: String) -> String {
        var clean = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format:
                clean += "\\u{\(String(scalar.value, radix: 16))}"
            default: clean.unicodeScalars.append(scalar)
            }
        }
        return clean
    }

    /// The text, or its beginning where it is longer.
    static func cut(_ text: String, to width: Int) -> String {
        text.count > width ? "\(text.prefix(width - 1))…" : text
    }

    static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
