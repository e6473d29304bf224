import MAMValues

/// Access that needs no unwrapping: a missing value reads as null, or as empty.
extension JSON {
    /// The value of a key; null where this is not an object or has no such key.
    subscript(key: String) -> JSON { member(key) ?? .null }

    var members: [Member] { object ?? [] }

    var elements: [JSON] { array ?? [] }

    /// Neither an object nor an array.
    var isScalar: Bool { object == nil && array == nil }

    /// An object of the members that have a value.
    static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { key, value in value.map { (key, $0) } })
    }

    static func number(_ value: some BinaryInteger) -> JSON { .integer(Int64(value)) }
}

extension JSON {
    /// The value on several lines, indented by two columns a level.
    var indentedText: String { text(indent: "\n") }

    /// `indent` is a newline and the indentation of the present line.
    private func text(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .array(let elements) where !elements.isEmpty:
            return "[\(elements.map { inner + $0.text(indent: inner) }.joined(separator: ","))\(indent)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSON.string($0.key).text): \($0.value.text(indent: inner))" }
            return "{\(lines.joined(separator: ","))\(indent)}"
        default: return text
        }
    }
}
