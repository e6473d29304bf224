import MAMSupport

/// The arguments of a request, with keys and types checked.
struct Arguments: Sendable {
    let action: String
    fileprivate let values: [(key: String, value: JSON)]

    init(action: String, values: [(key: String, value: JSON)]) {
        self.action = action
        self.values = values
    }

    /// A value; nil where the key is absent.
    subscript(key: String) -> JSON? { values.first { $0.key == key }?.value }

    /// Whether the key is present, even with null.
    func has(_ key: String) -> Bool { self[key] != nil }
    /// A string; nil where it is absent or null.
    func text(_ key: String) -> String? { self[key]?.string }
    /// A boolean; nil where it is absent.
    func flag(_ key: String) -> Bool? { self[key]?.bool }
    /// A number; nil where it is absent.
    func number(_ key: String) -> Int64? { self[key]?.integer }

    /// A name; nil where it is absent.
    func optionalName(_ key: String) throws(MAMError) -> Identity? {
        guard let text = text(key) else { return nil }
        return try Identity(text, argument: key)
    }

    /// A required name.
    func name(_ key: String) throws(MAMError) -> Identity { try Identity(text(key) ?? "", argument: key) }

    /// The one of several keys that is present; exactly one must be.
    func oneOf(_ keys: String...) throws(MAMError) -> String {
        let given = keys.filter(has)
        guard given.count == 1, let only = given.first else {
            let all = keys.joined(separator: " or ")
            let message = given.isEmpty ? "\(all) is missing" : "give \(all), not both"
            throw MAMError(.argument, "\(action): \(message)", [("argument", .string(given.last ?? keys[0]))])
        }
        return only
    }
}
