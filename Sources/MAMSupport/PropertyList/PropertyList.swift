/// A value of a property list, XML or binary.
public indirect enum PropertyList: Sendable {
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([PropertyList])
    case dictionary([(key: String, value: PropertyList)])
    /// A date; what it says is not read.
    case date
    /// Bytes; what they are is not read.
    case data
    /// A number of an archive; not read.
    case uid

    /// "boolean", "integer", "real", "string", "array", "dictionary", "date", "data" or "uid", for messages.
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

    /// The members in their order, where this is a dictionary.
    public var dictionary: [(key: String, value: PropertyList)]? {
        if case .dictionary(let members) = self { members } else { nil }
    }

    /// The value of a key; nil where this is no dictionary or has no such key.
    public subscript(key: String) -> PropertyList? {
        dictionary?.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// The same as JSON; nil where a part of it has no JSON: dates, data, uids, and reals that are no number.
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
