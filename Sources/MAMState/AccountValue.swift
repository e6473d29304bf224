import MAMSupport

/// What an account has one of, in a table of its own: sealed under the account's key.
struct AccountValue {
    let database: Database
    let table: StaticString

    /// What is kept; nil where nothing is.
    func load(of account: AccountRow) throws(MAMError) -> JSON? {
        let sealed = try database.first("SELECT record FROM \(table) WHERE account = ?", .blob(account.id.bytes)) {
            $0.blob(0)
        }
        guard let sealed else { return nil }
        return try seal(account).open(sealed, id: account.id.bytes, column: "record")
    }

    /// Keep it, in place of what was there.
    func store(_ value: JSON, of account: AccountRow) throws(MAMError) {
        let sealed = try seal(account).seal(value, id: account.id.bytes, column: "record")
        try database.run("INSERT OR REPLACE INTO \(table) VALUES (?, ?)", .blob(account.id.bytes), .blob(sealed))
    }

    /// As if nothing ever was kept.
    func forget(of account: AccountRowID) throws(MAMError) {
        try database.run("DELETE FROM \(table) WHERE account = ?", .blob(account.bytes))
    }

    private func seal(_ account: AccountRow) -> RowSeal { RowSeal(key: account.wrapKey.sealing, table: table) }
}
