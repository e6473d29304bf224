/// A JSON value. A number keeps the text it was written with, and an object the order of its keys, so that
/// what goes through mamctl comes out as it came in.
enum JSON: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// One key of an object with its value.
    struct Member: Equatable {
        let key: String
        let value: JSON
    }

    /// An object of the members that have a value.
    static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
    }

    /// The value of a key; null where this is no object or has no such key.
    subscript(key: String) -> JSON {
        members.first { $0.key == key }?.value ?? .null
    }

    var members: [Member] {
        if case .object(let members) = self { members } else { [] }
    }

    var elements: [JSON] {
        if case .array(let elements) = self { elements } else { [] }
    }

    var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// Neither an object nor an array.
    var isScalar: Bool {
        switch self {
        case .object, .array: false
        default: true
        }
    }
}
