import MAMProtection
import MAMSupport

/// Keys of accounts, data keys or exchange keys, one per epoch, wrapped under the account's wrap key. The newest one seals; the others are loaded on demand, to
/// open data of their epoch.
public struct AccountKeyStore {
    let database: Database
    let table: StaticString
    /// The kind in the context of wrapped keys, followed by the key id.
    let kind: StaticString

    /// The newest key of an account; nil where it has none.
    public func newest(of account: AccountRow) throws(MAMError) -> DataKey? {
        let found = try database.first(
            "SELECT epoch, key_id, wrapped FROM \(table) WHERE account = ? ORDER BY epoch DESC LIMIT 1",
            .blob(account.id.bytes)
        ) { ($0.integer(0), $0.blob(1), $0.blob(2)) }
        return try found.map { (epoch, id, wrapped) throws(MAMError) in
            guard let epoch = UInt32(exactly: epoch) else { throw tampered }
            return try open(wrapped, id, epoch, account)
        }
    }

    /// The key that a container names; nil where the account does not have it.
    public func key(named id: [UInt8], epoch: UInt32, of account: AccountRow) throws(MAMError) -> DataKey? {
        let wrapped = try database.first(
            "SELECT wrapped FROM \(table) WHERE account = ? AND epoch = ? AND key_id = ?",
            .blob(account.id.bytes), .integer(Int64(epoch)), .blob(id)
        ) { $0.blob(0) }
        return try wrapped.map { (wrapped) throws(MAMError) in try open(wrapped, id, epoch, account) }
    }

    /// The key of an epoch, for data that names no key id; nil where the account does not have it.
    public func key(ofEpoch epoch: UInt32, of account: AccountRow) throws(MAMError) -> DataKey? {
        let found = try database.first(
            "SELECT key_id, wrapped FROM \(table) WHERE account = ? AND epoch = ?",
            .blob(account.id.bytes), .integer(Int64(epoch))
        ) { ($0.blob(0), $0.blob(1)) }
        return try found.map { (id, wrapped) throws(MAMError) in try open(wrapped, id, epoch, account) }
    }

    /// The newest epoch of an account; 0 without a key.
    public func latestEpoch(of account: AccountRow) throws(MAMError) -> Int64 {
        try database.first("SELECT max(epoch) FROM \(table) WHERE account = ?", .blob(account.id.bytes)) {
            $0.integer(0)
        } ?? 0
    }

    /// Whether an account has a key, which need not open.
    func hasAny(of account: AccountRowID) throws(MAMError) -> Bool {
        try database.first("SELECT 1 FROM \(table) WHERE account = ? LIMIT 1", .blob(account.bytes)) { _ in true }
            ?? false
    }

    /// Store a key, in place of another key of its epoch.
    public func keep(
        _ key: SecretBytes, named id: [UInt8], epoch: UInt32, of account: AccountRow
    ) throws(MAMError) {
        let wrapped = try account.wrapKey.wrap(key, kind: kind(id), epoch: epoch)
        try database.run(
            "INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?, ?)", .blob(account.id.bytes), .integer(Int64(epoch)),
            .blob(id), .blob(wrapped))
    }

    /// Delete the keys before an epoch.
    public func forget(before epoch: Int64, of account: AccountRow) throws(MAMError) {
        try database.run(
            "DELETE FROM \(table) WHERE account = ? AND epoch < ?", .blob(account.id.bytes), .integer(epoch))
    }

    private func open(
        _ wrapped: [UInt8], _ id: [UInt8], _ epoch: UInt32, _ account: AccountRow
    ) throws(MAMError) -> DataKey {
        do throws(MAMError) {
            let key = try account.wrapKey.unwrap(wrapped, kind: kind(id), epoch: epoch)
            return try DataKey(id: id, epoch: epoch, key: key)
        } catch { throw error.code == .closed ? error : tampered }
    }

    /// The key id is part of the context, so that keys cannot be exchanged.
    private func kind(_ id: [UInt8]) -> String { "\(kind) \(hexadecimal(id))" }

    private var tampered: MAMError {
        MAMError(
            .tampered, "a key of the account does not verify: it was changed outside libmam",
            [("table", .string("\(table)"))])
    }
}
