import MAMPolicy
import MAMProtection
import MAMSupport

/// An opened account row.
public struct AccountRow: Sendable {
    /// The random id.
    public let id: AccountRowID
    /// The content.
    public var record: AccountRecord
    /// The key that wraps the account's keys and seals its rows.
    public let wrapKey: AccountWrapKey
}

/// The accounts of this app, in the order of registration.
public struct AccountStore {
    let view: StateView

    /// An account that opens, or the reason why it does not. Its data is then closed.
    public enum Entry: Sendable {
        case open(AccountRow)
        /// The account does not open. The tag is present where it verifies.
        case closed(AccountRowID, AccountTag?, MAMError)
        /// The account is being wiped; its journal entry may not exist yet.
        case wiped(AccountRowID, AccountTag?, Tombstone)
    }

    /// Every account of this app.
    public func all() throws(MAMError) -> [Entry] {
        let rows = try view.database.all(
            "SELECT id, record, tag FROM accounts WHERE app = ? ORDER BY number", .text(view.state.app)
        ) { (AccountRowID($0.blob(0)), $0.blob(1), $0.blob(2)) }
        let listed = try roster.accounts(of: view.state.app)
        var entries = try rows.map { (id, record, sealedTag) throws(MAMError) -> Entry in
            guard listed.contains(id) else { return .closed(id, tag(sealedTag, id), AccountStore.foreign) }
            // A recorded closure counts before anything on disk.
            if let tombstone = view.state.accountClosure(id) { return .wiped(id, tag(sealedTag, id), tombstone) }
            do throws(MAMError) {
                switch try view.state.shares.load(id) {
                case .tombstone(let tombstone): return .wiped(id, tag(sealedTag, id), tombstone)
                case .missing(let error):
                    guard try wasUnlinked(id) else { return .closed(id, tag(sealedTag, id), error) }
                    return .wiped(id, tag(sealedTag, id), Tombstone(reason: .host, wipe: nil))
                case .present(let share):
                    let wrapKey = try view.state.root.accountWrapKey(share: share, account: id.bytes)
                    let json = try seal(wrapKey).open(record, id: id.bytes, column: "record")
                    return .open(AccountRow(id: id, record: try AccountRecord(json: json), wrapKey: wrapKey))
                }
            } catch {
                // A transient failure, such as EMFILE or EIO, reveals nothing about the account, so loading fails as a whole.
                guard error.code == .keyUnavailable || error.code == .tampered else { throw error }
                return .closed(id, tag(sealedTag, id), error)
            }
        }
        for id in listed where !rows.contains(where: { $0.0 == id }) {
            entries.append(.closed(id, nil, AccountStore.missing))
        }
        return entries
    }

    /// Whether a missing share was removed by a wipe: it alone is missing and the group's other shares exist. Otherwise the shares
    /// were lost, and nothing is deleted.
    private func wasUnlinked(_ id: AccountRowID) throws(MAMError) -> Bool {
        let wiping = try view.journal.accounts()
        let listed = try roster.all().filter { !wiping.contains($0) }
        let there = Set(try view.state.directory.shareNames())
        return listed.count > 1 && listed.filter { !there.contains($0.hex) } == [id]
    }

    /// Whether an account exists in this app.
    public func isOwn(_ id: AccountRowID) throws(MAMError) -> Bool {
        let app = try view.database.first("SELECT app FROM accounts WHERE id = ?", .blob(id.bytes)) { $0.text(0) ?? "" }
        if let app { return app == view.state.app }
        return try roster.accounts(of: view.state.app).contains(id)
    }

    /// The present row of an account of this app; nil where it does not open or is being wiped.
    public func row(_ id: AccountRowID) throws(MAMError) -> AccountRow? {
        guard try !view.journal.all().contains(where: { $0.account == id }) else { return nil }
        for case .open(let row) in try all() where row.id == id { return row }
        return nil
    }

    private var roster: AccountRoster { AccountRoster(database: view.database, stateKey: view.state.stateKey) }
    private static let foreign = MAMError(
        .tampered,
        "the row of an account in the state is not one of this app's: it was moved or put back outside libmam",
        [("table", "accounts")])
    private static let missing = MAMError(
        .tampered,
        "the row of an account is missing in the state: it was removed outside libmam, or the file is damaged",
        [("table", "accounts")])

    /// Add an account and its share. Outside a commit with `mayAddAccount`, a process that is killed before the commit leaves an
    /// orphaned share.
    public func add(_ record: AccountRecord) throws(MAMError) -> AccountRow {
        let id =
            if let pendingAccountID = view.guarded.takePendingAccountID() { pendingAccountID } else {
                try AccountRowID.make()
            }
        let share = try view.state.shares.make(id)
        let wrapKey = try view.state.root.accountWrapKey(share: share, account: id.bytes)
        let sealed = try seal(wrapKey).seal(record.json, id: id.bytes, column: "record")
        try view.database.run(
            "INSERT INTO accounts (id, app, record, tag) VALUES (?, ?, ?, ?)", .blob(id.bytes), .text(view.state.app),
            .blob(sealed), .blob(try sealedTag(record, id)))
        try roster.add(id, of: view.state.app)
        return AccountRow(id: id, record: record, wrapKey: wrapKey)
    }

    /// Change an account's row as it is now; another process may have changed it since it was loaded. Fails with `.notRegistered`
    /// where it was removed.
    @discardableResult
    public func change(
        _ row: AccountRow, _ body: (inout AccountRecord) throws(MAMError) -> Void
    ) throws(MAMError) -> AccountRow {
        let found = try view.database.first("SELECT record FROM accounts WHERE id = ?", .blob(row.id.bytes)) {
            $0.blob(0)
        }
        guard let found else { throw MAMError(.notRegistered, "the account was removed by another process meanwhile") }
        var row = row
        row.record = try AccountRecord(json: try seal(row.wrapKey).open(found, id: row.id.bytes, column: "record"))
        try body(&row.record)
        let sealed = try seal(row.wrapKey).seal(row.record.json, id: row.id.bytes, column: "record")
        try view.database.run(
            "UPDATE accounts SET record = ?, tag = ? WHERE id = ?", .blob(sealed),
            .blob(try sealedTag(row.record, row.id)),
            .blob(row.id.bytes))
        return row
    }

    /// Remove an account's present names from the former names of other accounts, and theirs from its own: accounts may exchange
    /// names, and a name is never a former one of the other account once the account that has it leaves.
    public func takeNames(of row: AccountRow) throws(MAMError) {
        let names = row.record.presentNames
        var others: [[UInt8]] = []
        for case .open(let other) in try all() where other.id != row.id {
            if other.record.state != .registered { others += other.record.presentNames }
            try forget(names, formerlyOf: other)
        }
        try forget(others, formerlyOf: row)
    }

    private func forget(_ names: [[UInt8]], formerlyOf row: AccountRow) throws(MAMError) {
        guard row.record.formerNames.contains(where: { names.contains(Identity.fold($0)) }) else { return }
        try change(row) { record in for name in names { record.forget(formerName: name) } }
    }

    /// Remove an account with its keys, policies and configurations.
    public func remove(_ id: AccountRowID) throws(MAMError) {
        for table in ["policies", "configurations", "account_keys", "exchange_keys", "refresh_tokens"] {
            try view.database.run("DELETE FROM \(table) WHERE account = ?", .blob(id.bytes))
        }
        try view.database.run("DELETE FROM accounts WHERE id = ?", .blob(id.bytes))
        try roster.remove(id)
    }

    private func tag(_ sealed: [UInt8], _ id: AccountRowID) -> AccountTag? {
        (try? view.seal("accounts").open(sealed, id: id.bytes, column: "tag")).map(AccountTag.init(json:))
    }

    private func sealedTag(_ record: AccountRecord, _ id: AccountRowID) throws(MAMError) -> [UInt8] {
        try view.seal("accounts").seal(AccountTag(record).json, id: id.bytes, column: "tag")
    }

    private func seal(_ wrapKey: AccountWrapKey) -> RowSeal { RowSeal(key: wrapKey.sealing, table: "accounts") }
}
