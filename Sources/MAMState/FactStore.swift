import MAMSupport

/// What an app knew when it was opened last.
public struct FactStore {
    let view: StateView

    /// A fact; nil where it was never set.
    public func value(_ name: String) throws(MAMError) -> JSON? {
        let sealed = try view.database.first(
            "SELECT value FROM facts WHERE app = ? AND name = ?", .text(view.state.app), .text(name)
        ) { $0.blob(0) }
        guard let sealed else { return nil }
        return try FactStore.open(sealed, of: view.state.app, name, view)
    }

    /// What a row holds; bound to the app that keeps it and to its name.
    static func open(_ sealed: [UInt8], of app: String, _ name: String, _ view: StateView) throws(MAMError) -> JSON {
        try view.seal("facts").open(sealed, id: id(app, name), column: "value")
    }

    /// Forget a fact.
    func remove(_ name: String) throws(MAMError) {
        try view.database.run("DELETE FROM facts WHERE app = ? AND name = ?", .text(view.state.app), .text(name))
    }

    /// Keep a fact.
    public func set(_ name: String, to value: JSON) throws(MAMError) {
        let sealed = try view.seal("facts").seal(value, id: FactStore.id(view.state.app, name), column: "value")
        try view.database.run(
            "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", .text(view.state.app), .text(name), .blob(sealed))
    }

    private static func id(_ app: String, _ name: String) -> [UInt8] { Array(app.utf8) + [0] + Array(name.utf8) }
}
