/// A JSON value.
///
/// Objects keep the order of their keys. A number that is not a 64-bit integer keeps the text it was written
/// with, so that what comes in goes out unchanged.
public enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number with a fraction or an exponent, as it was written.
    case decimal(String)
    case string(String)
    case array([JSON])
    case object([(key: String, value: JSON)])
}

extension JSON {
    /// The value of a key; nil where this is no object or has no such key.
    public subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The text, where this is a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The truth, where this is a boolean.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number, where this is a 64-bit integer.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The elements, where this is an array.
    public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
    /// The members in order, where this is an object.
    public var object: [(key: String, value: JSON)]? { if case .object(let members) = self { members } else { nil } }
    /// Whether this is null.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// "null", "boolean", "number", "string", "array" or "object", for messages.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .decimal: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// A string, or null where there is none.
    public static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
    /// An array of strings.
    public static func strings(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
}

/// Equal as JSON: the order of keys does not count, numbers are compared by value where both are integers and by
/// their text otherwise, strings byte by byte.
extension JSON: Equatable {
    /// Equal as JSON.
    public static func == (a: JSON, b: JSON) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.integer(let x), .integer(let y)): x == y
        case (.decimal(let x), .decimal(let y)): x == y
        case (.string(let x), .string(let y)): x.utf8.elementsEqual(y.utf8)
        case (.array(let x), .array(let y)): x == y
        case (.object(let x), .object(let y)):
            x.count == y.count && zip(sorted(x), sorted(y)).allSatisfy { JSON.isSame($0, $1) }
        default: false
        }
    }

    private typealias Member = (key: String, value: JSON)

    /// Sorted, so that comparing costs little more than reading, however many members there are.
    private static func sorted(_ members: [Member]) -> [Member] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func isSame(_ a: Member, _ b: Member) -> Bool {
        a.key.utf8.elementsEqual(b.key.utf8) && a.value == b.value
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// An array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// An object.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { (key: $0.0, value: $0.1) })
    }
}
