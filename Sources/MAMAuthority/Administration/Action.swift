import MAMSupport

/// One action of docs/authority.md: its name, the keys that it takes, what it does.
struct Action: Sendable {
    /// A key of the request.
    struct Key: Sendable {
        let name: String
        let type: ArgumentType
        let isRequired: Bool
        /// Whether null is a value of its own.
        let takesNull: Bool

        static func required(_ name: String, _ type: ArgumentType) -> Key {
            Key(name: name, type: type, isRequired: true, takesNull: false)
        }
        static func optional(_ name: String, _ type: ArgumentType) -> Key {
            Key(name: name, type: type, isRequired: false, takesNull: false)
        }
        static func nullable(_ name: String, _ type: ArgumentType) -> Key {
            Key(name: name, type: type, isRequired: false, takesNull: true)
        }
    }

    /// What an action needs of the file.
    enum Need: Sendable {
        case absent, reading, writing
        /// As writing, of what stands there, whether it verifies or not.
        case signing
    }

    typealias Body = @Sendable (AdministrationCall) throws(MAMError) -> JSON

    let name: String
    let need: Need
    let keys: [Key]
    let body: Body

    /// An action that makes the authority.
    static func create(_ name: String, _ keys: [Key], _ body: @escaping Body) -> Action {
        Action(name: name, need: .absent, keys: keys, body: body)
    }
    /// An action that changes nothing.
    static func read(_ name: String, _ keys: [Key] = [], _ body: @escaping Body) -> Action {
        Action(name: name, need: .reading, keys: keys, body: body)
    }
    /// An action that changes the authority.
    static func write(_ name: String, _ keys: [Key] = [], _ body: @escaping Body) -> Action {
        Action(name: name, need: .writing, keys: keys, body: body)
    }

    /// An action that signs what stands there.
    static func sign(_ name: String, _ body: @escaping Body) -> Action {
        Action(name: name, need: .signing, keys: [], body: body)
    }

    /// The values of a request, checked. What is unknown, missing or of the wrong type is named.
    func arguments(_ members: [(key: String, value: JSON)]) throws(MAMError) -> Arguments {
        var values: [(key: String, value: JSON)] = []
        for (name, value) in members where !name.utf8.elementsEqual("action".utf8) {
            guard let key = keys.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                let known = keys.isEmpty ? "it takes none" : "it takes \(keys.map(\.name).joined(separator: ", "))"
                throw problem(Line.quoted(name), name, "is not a key of this action; \(known)")
            }
            if !(value.isNull && key.takesNull) { try key.type.check(value, key.name, self.name) }
            values.append((key.name, value))
        }
        for key in keys where key.isRequired && !values.contains(where: { $0.key == key.name }) {
            throw problem(key.name, key.name, "is missing")
        }
        return Arguments(action: self.name, values: values)
    }

    private func problem(_ shown: String, _ key: String, _ message: String) -> MAMError {
        MAMError(.json, "\(name): \(shown) \(message)", [("argument", .string(String(key.prefix(80))))])
    }
}
