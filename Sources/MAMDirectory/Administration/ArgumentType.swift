import MAMPolicy
import MAMSupport

/// The type of an action's argument; mam.h and docs/authority.md.
indirect enum ArgumentType: Sendable {
    /// A name or id of a user, group, policy or tenant that is there.
    case name
    /// The UPN or account id that a user gets, with the rules of account arguments.
    case account
    /// A line for display: no control characters, at most 256 bytes.
    case label
    /// An app id, as `app.id` of `mam_open`.
    case app
    case deviceTag
    /// A domain: the part of a UPN after the "@".
    case domain
    /// A file path.
    case path
    case flag
    /// A boolean that can only be true.
    case trueOnly
    case number(ClosedRange<Int64>)
    /// An ISO 8601 duration in a range.
    case duration(ClosedRange<TimeSpan>)
    case oneOf([String])
    /// An object or an array.
    case document
    /// An array with a maximum number of elements.
    case list(ArgumentType, maximum: Int)
    /// An array of objects with these keys; errors name the index.
    case records([Action.Key], maximum: Int)

    private var jsonType: String {
        switch self {
        case .name, .account, .label, .app, .deviceTag, .domain, .path, .duration, .oneOf: "string"
        case .flag, .trueOnly: "boolean"
        case .number: "number"
        case .document: "object or array"
        case .list, .records: "array"
        }
    }

    /// Check a value; the error names its key.
    func check(_ json: JSON, _ key: String, _ action: String) throws(MAMError) {
        func wrong(_ message: String) -> MAMError { .argument(key, "\(message) (\(action))") }
        func checkCount(_ count: Int, _ maximum: Int) throws(MAMError) {
            guard count <= maximum else { throw wrong("holds \(count) elements; at most \(maximum) are taken") }
        }
        switch (self, json) {
        case (.name, .string(let text)): _ = try Identity(text, argument: key)
        case (.account, .string(let text)): _ = try Identity(account: text, argument: key)
        case (.label, .string(let text)):
            guard text.utf8.count <= 256 else {
                throw wrong("is \(text.utf8.count) bytes long; at most 256 are allowed")
            }
            guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw wrong("holds a control character")
            }
        case (.app, .string(let text)):
            guard AppFacts.isId(text) else {
                throw wrong("is no app id: 1 to 128 of A-Z a-z 0-9 . _ - that begin with a letter or digit")
            }
        case (.deviceTag, .string(let text)):
            guard (1...256).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw wrong("is no device tag: 1 to 256 printable ASCII characters without spaces")
            }
        case (.domain, .string(let text)):
            guard Identity.isDomain(text) else { throw wrong("is no domain; write it as contoso.example") }
        case (.path, .string(let text)):
            guard (1...4095).contains(text.utf8.count) else { throw wrong("is empty, or too long for a path") }
        case (.flag, .bool), (.trueOnly, .bool(true)): return
        case (.trueOnly, .bool): throw wrong("is false; leave it out, or give true")
        case (.number(let range), .integer(let number)):
            guard range.contains(number) else {
                throw wrong("is \(number); it must be from \(range.lowerBound) to \(range.upperBound)")
            }
        case (.number, .decimal): throw wrong("is not a whole number of 64 bits")
        case (.duration(let range), .string(let text)):
            guard let span = TimeSpan(iso8601: text), range.contains(span) else {
                throw wrong(
                    "is no ISO 8601 duration from \(range.lowerBound.iso8601) to \(range.upperBound.iso8601)")
            }
        case (.oneOf(let words), .string(let text)):
            guard words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
                throw wrong("is \(ForeignText.quoted(text)); it must be one of \(words.joined(separator: ", "))")
            }
        case (.document, .object), (.document, .array): return
        case (.records(let keys, let maximum), .array(let elements)):
            try checkCount(elements.count, maximum)
            for (index, element) in elements.enumerated() {
                do throws(MAMError) {
                    guard let members = element.object else {
                        throw MAMError(.json, "is a JSON \(element.typeName); it must be an object")
                    }
                    _ = try Arguments(action, keys, members)
                } catch { throw error.at(index, of: key) }
            }
        case (.list(let type, let maximum), .array(let elements)):
            try checkCount(elements.count, maximum)
            for (index, element) in elements.enumerated() { try type.check(element, "\(key)[\(index)]", action) }
        default:
            throw MAMError(
                .json, "\(action): \(key) is a JSON \(json.typeName); it must be a \(jsonType)",
                [("argument", .string(key))])
        }
    }
}
