import MAMProtection
import MAMSupport

/// A table with one value per account, sealed under the account's key.
struct AccountValue {
    let database: Database
    let table: StaticString

    /// The account's value; nil without one.
    func load(of account: AccountRow) throws(MAMError) -> JSON? {
        let sealed = try database.first("SELECT record FROM \(table) WHERE account = ?", .blob(account.id.bytes)) {
            $0.blob(0)
        }
        guard let sealed else { return nil }
        return try seal(account).open(sealed, id: account.id.bytes, column: "record")
    }

    /// Store the account's value, in place of a former one.
    func store(_ value: JSON, of account: AccountRow) throws(MAMError) {
        let sealed = try seal(account).seal(value, id: account.id.bytes, column: "record")
        try database.run("INSERT OR REPLACE INTO \(table) VALUES (?, ?)", .blob(account.id.bytes), .blob(sealed))
    }

    /// Delete the account's value.
    func forget(of account: AccountRowID) throws(MAMError) {
        try database.run("DELETE FROM \(table) WHERE account = ?", .blob(account.bytes))
    }

    private func seal(_ account: AccountRow) -> RowSeal { RowSeal(key: account.wrapKey.sealing, table: table) }
}
