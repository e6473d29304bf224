import MAMProtection
import MAMSupport

/// An account's row, opened.
public struct AccountRow: Sendable {
    /// Its random number.
    public let id: AccountRowID
    /// What it says.
    public var record: AccountRecord
    /// Opens and seals what belongs to the account.
    public let wrapKey: AccountWrapKey
}

/// The accounts of this app, in the order they were registered.
public struct AccountStore {
    let view: StateView

    /// An account that opens, or why it does not: then its data stays closed.
    public enum Entry: Sendable {
        case open(AccountRow)
        case closed(AccountRowID, MAMError)
    }

    /// Every account of this app.
    public func all() throws(MAMError) -> [Entry] {
        let rows = try view.database.all(
            "SELECT id, record FROM accounts WHERE app = ? ORDER BY number", .text(view.state.app)
        ) {
            (AccountRowID($0.blob(0)), $0.blob(1))
        }
        return rows.map { row in
            do throws(MAMError) {
                let wrapKey = try wrapKey(of: row.0)
                let json = try seal(wrapKey).open(row.1, id: row.0.bytes, column: "record")
                return .open(AccountRow(id: row.0, record: AccountRecord(json: json), wrapKey: wrapKey))
            } catch { return .closed(row.0, error) }
        }
    }

    /// Add an account with a share of its own.
    public func add(_ record: AccountRecord) throws(MAMError) -> AccountRow {
        let id = try AccountRowID.make()
        let share = try view.state.shares.make(id)
        let wrapKey = try view.state.root.accountWrapKey(share: share, account: id.bytes)
        let sealed = try seal(wrapKey).seal(record.json, id: id.bytes, column: "record")
        try view.database.run(
            "INSERT INTO accounts (id, app, record) VALUES (?, ?, ?)", .blob(id.bytes), .text(view.state.app),
            .blob(sealed))
        return AccountRow(id: id, record: record, wrapKey: wrapKey)
    }

    /// Replace what a row says. `.notRegistered` when it is gone.
    public func update(_ row: AccountRow) throws(MAMError) {
        let sealed = try seal(row.wrapKey).seal(row.record.json, id: row.id.bytes, column: "record")
        let changed = try view.database.run(
            "UPDATE accounts SET record = ? WHERE id = ?", .blob(sealed), .blob(row.id.bytes))
        guard changed == 1 else {
            throw MAMError(.notRegistered, "the account was removed by another process meanwhile")
        }
    }

    /// Remove an account with its keys and policies.
    public func remove(_ id: AccountRowID) throws(MAMError) {
        try view.database.run("DELETE FROM policies WHERE account = ?", .blob(id.bytes))
        try view.database.run("DELETE FROM account_keys WHERE account = ?", .blob(id.bytes))
        try view.database.run("DELETE FROM accounts WHERE id = ?", .blob(id.bytes))
    }

    private func wrapKey(of id: AccountRowID) throws(MAMError) -> AccountWrapKey {
        try view.state.root.accountWrapKey(share: try view.state.shares.load(id), account: id.bytes)
    }

    private func seal(_ wrapKey: AccountWrapKey) -> RowSeal { RowSeal(key: wrapKey.sealing, table: "accounts") }
}
