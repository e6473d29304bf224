import MAMSupport

/// The arguments of a request, with keys and types checked.
package struct Arguments: Sendable {
    let action: String
    fileprivate let values: [(key: String, value: JSON)]

    init(action: String, values: [(key: String, value: JSON)]) {
        self.action = action
        self.values = values
    }

    /// Check members by the keys that are taken. The error names a key that is unknown, missing or of the wrong type.
    init(_ action: String, _ keys: [Action.Key], _ members: [JSON.Member]) throws(MAMError) {
        func problem(_ shown: String, _ key: String, _ message: String) -> MAMError {
            MAMError(.json, "\(action): \(shown) \(message)", [("argument", .string(String(key.prefix(80))))])
        }
        var values: [(key: String, value: JSON)] = []
        for (name, value) in members {
            guard let key = keys.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                let known = keys.isEmpty ? "it takes none" : "it takes \(keys.map(\.name).joined(separator: ", "))"
                throw problem(ForeignText.quoted(name), name, "is not a key of this action; \(known)")
            }
            if !(value.isNull && key.takesNull) { try key.type.check(value, key.name, action) }
            values.append((key.name, value))
        }
        for key in keys where key.isRequired && !values.contains(where: { $0.key == key.name }) {
            throw problem(key.name, key.name, "is missing")
        }
        self.init(action: action, values: values)
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
