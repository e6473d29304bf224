import MAMSupport

/// Which accounts an app has, in a row of its own under the state key: an account whose row is gone, by damage or by
/// somebody's hand, is missed instead of being forgotten. Beside the meta rows without which nothing opens.
struct AccountRoster {
    let view: StateView

    /// The accounts of this app; every one of its rows has to be there.
    func load() throws(MAMError) -> [AccountRowID] {
        let sealed = try view.database.first("SELECT value FROM meta WHERE name = ?", .text(name)) { $0.blob(0) }
        guard let sealed else { return [] }
        let json = try seal.open(sealed, id: Array(name.utf8), column: "value")
        return (json.array ?? []).compactMap { entry in entry.string.flatMap { AccountRowID(hex: $0) } }
    }

    func add(_ id: AccountRowID) throws(MAMError) { try store(try load() + [id]) }
    func remove(_ id: AccountRowID) throws(MAMError) { try store(try load().filter { $0 != id }) }

    private func store(_ ids: [AccountRowID]) throws(MAMError) {
        let sealed = try seal.seal(.strings(ids.map(\.hex)), id: Array(name.utf8), column: "value")
        try view.database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", .text(name), .blob(sealed))
    }

    private var name: String { "roster:\(view.state.app)" }
    private var seal: RowSeal { view.seal("meta") }
}
