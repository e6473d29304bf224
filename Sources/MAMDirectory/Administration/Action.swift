import MAMSupport

/// One action of docs/authority.md: its name, its arguments and its implementation.
package struct Action: Sendable {
    /// An argument of the action.
    struct Key: Sendable {
        let name: String
        let type: ArgumentType
        let isRequired: Bool
        /// Whether null is a valid value with a meaning of its own.
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

    /// How an action opens the file.
    package enum Mode: Sendable {
        case create, read, write
        /// As `write`, but the rows are signed as they are, whether their signatures verify or not.
        case sign
    }

    package typealias Body = @Sendable (AdministrationCall) throws(MAMError) -> JSON

    package let name: String
    package let mode: Mode
    let keys: [Key]
    package let body: Body

    /// Whether the action changes an existing directory.
    package var changes: Bool { mode == .write || mode == .sign }

    /// An action that creates the authority.
    static func create(_ name: String, _ keys: [Key], _ body: @escaping Body) -> Action {
        Action(name: name, mode: .create, keys: keys, body: body)
    }
    /// An action that only reads.
    static func read(_ name: String, _ keys: [Key] = [], _ body: @escaping Body) -> Action {
        Action(name: name, mode: .read, keys: keys, body: body)
    }
    /// An action that changes the authority.
    static func write(_ name: String, _ keys: [Key] = [], _ body: @escaping Body) -> Action {
        Action(name: name, mode: .write, keys: keys, body: body)
    }

    /// An action that signs the rows as they are.
    static func sign(_ name: String, _ body: @escaping Body) -> Action {
        Action(name: name, mode: .sign, keys: [], body: body)
    }

    /// The same action, which with "dryRun" replies and writes nothing. Everything that it does is in the directory's transaction.
    var rehearsable: Action { Action(name: name, mode: mode, keys: keys + [.optional("dryRun", .flag)], body: body) }

    /// Check the members of a request. The error names a key that is unknown, missing or of the wrong type.
    func arguments(_ members: [(key: String, value: JSON)]) throws(MAMError) -> Arguments {
        try Arguments(name, keys, members.filter { !$0.key.utf8.elementsEqual("action".utf8) })
    }
}
