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
        return try seal.open(sealed, id: id(name), column: "value")
    }

    /// Keep a fact.
    public func set(_ name: String, to value: JSON) throws(MAMError) {
        let sealed = try seal.seal(value, id: id(name), column: "value")
        try view.database.run(
            "INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", .text(owner), .text(name), .blob(sealed))
    }

    private var seal: RowSeal { view.seal("facts") }
    private func id(_ name: String) -> [UInt8] { Array(owner.utf8) + [0] + Array(name.utf8) }
}
