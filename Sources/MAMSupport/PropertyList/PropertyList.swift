/// A value of an XML or binary property list.
public indirect enum PropertyList: Sendable {
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([PropertyList])
    case dictionary([(key: String, value: PropertyList)])
    /// A date; its value is not read.
    case date
    /// Bytes; their value is not read.
    case data
    /// A UID of a keyed archive; its value is not read.
    case uid

    /// The name of the type for messages: "boolean", "integer", "real", "string", "array", "dictionary", "date", "data" or "uid".
    public var typeName: String {
        switch self {
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "real"
        case .string: "string"
        case .array: "array"
        case .dictionary: "dictionary"
        case .date: "date"
        case .data: "data"
        case .uid: "uid"
        }
    }

    /// The members in order, where this is a dictionary.
    public var dictionary: [(key: String, value: PropertyList)]? {
        if case .dictionary(let members) = self { members } else { nil }
    }

    /// The value of a key; nil where this is not a dictionary or has no such key.
    public subscript(key: String) -> PropertyList? {
        dictionary?.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The value as JSON; nil where a part has no equivalent: dates, data, UIDs and reals that are not finite.
    public var json: JSON? {
        switch self {
        case .boolean(let value): return .bool(value)
        case .integer(let number): return .integer(number)
        case .real(let number): return number.isFinite ? .decimal("\(number)") : nil
        case .string(let text): return .string(text)
        case .array(let elements):
            let values = elements.compactMap(\.json)
            return values.count == elements.count ? .array(values) : nil
        case .dictionary(let members):
            let values = members.compactMap { member in member.value.json.map { (key: member.key, value: $0) } }
            return values.count == members.count ? .object(values) : nil
        case .date, .data, .uid: return nil
        }
    }
}
