import MAMSupport

/// What an app, or every app of the group, goes by from one open to the next.
public struct FactStore {
    let view: StateView
    /// Whose it is; "" is the group.
    let owner: String

    /// A fact; nil where it was never set.
    public func value(_ name: String) throws(MAMError) -> JSON? {
        let sealed = try view.database.first(
            "SELECT value FROM facts WHERE app = ? AND name = ?", .text(owner), .text(name)
        ) { $0.blob(0) }
        guard let sealed else { return nil }
        return try FactStore.open(sealed, of: owner, name, view)
    }

    /// What a row holds; bound to whose it is and to its name.
    static func open(_ sealed: [UInt8], of owner: String, _ name: String, _ view: StateView) throws(MAMError) -> JSON {
        try view.seal("facts").open(sealed, id: id(owner, name), column: "value")
    }

    /// Forget a fact.
    public func remove(_ name: String) throws(MAMError) {
        try view.database.run("DELETE FROM facts WHERE app = ? AND name = ?", .text(owner), .text(name))
    }

    /// Keep a fact.
    public func set(_ name: String, to value: JSON) throws(MAMError) {
        let sealed = try view.seal("facts").seal(value, id: FactStore.id(owner, name), column: "value")
        try view.database.run(
            "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", .text(owner), .text(name), .blob(sealed))
    }

    private static func id(_ owner: String, _ name: String) -> [UInt8] { Array(owner.utf8) + [0] + Array(name.utf8) }
}
