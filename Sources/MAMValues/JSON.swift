/// A JSON value.
///
/// Objects keep the order of their keys, and numbers other than 64-bit integers keep their text, so that a value is written as it was
/// read.
public enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Any other number, as text.
    case decimal(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A member of an object.
    public typealias Member = (key: String, value: JSON)
}

extension JSON {
    /// The value of a key; nil where this is not an object or has no such key.
    public func member(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { hasSameBytes($0.key, key) }?.value
    }

    /// The text of a string, else nil.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The value of a boolean, else nil.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The value of a 64-bit integer, else nil.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The elements of an array, else nil.
    public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
    /// The members of an object in order, else nil.
    public var object: [Member]? { if case .object(let members) = self { members } else { nil } }
    /// Whether this is null.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The name of the type for messages: "null", "boolean", "number", "string", "array" or "object".
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

    /// A string; null for nil.
    public static func optional(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
    /// An array of strings.
    public static func strings(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
}

/// Equality ignores the order of keys. Integers are compared by value, other numbers by their text, strings byte by byte.
extension JSON: Equatable {
    /// Equality as JSON.
    public static func == (a: JSON, b: JSON) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.integer(let x), .integer(let y)): x == y
        case (.decimal(let x), .decimal(let y)): x == y
        case (.string(let x), .string(let y)): hasSameBytes(x, y)
        case (.array(let x), .array(let y)): x == y
        case (.object(let x), .object(let y)):
            x.count == y.count && zip(sorted(x), sorted(y)).allSatisfy { JSON.isSame($0, $1) }
        default: false
        }
    }

    /// Sorted by key, so that a comparison takes O(n log n).
    private static func sorted(_ members: [Member]) -> [Member] {
        members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func isSame(_ a: Member, _ b: Member) -> Bool {
        hasSameBytes(a.key, b.key) && a.value == b.value
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

/// Whether two texts have the same bytes. Most of those that differ differ in length, which is known.
func hasSameBytes(_ a: String, _ b: String) -> Bool { a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8) }
