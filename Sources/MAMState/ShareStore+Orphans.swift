import CPlatform
import MAMSupport

extension ShareStore {
    /// Remove the shares of no account and no wipe: what an enrollment that was killed before its commit leaves behind. In a
    /// transaction that holds the write lock, as every enrollment does while its share is new. They open nothing, so what
    /// cannot be removed stays.
    func removeOrphans(_ database: Database, listed: [AccountRowID]) throws(MAMError) {
        let names = try directory.shareNames()
        guard !names.isEmpty else { return }
        var known = Set(listed)
        for query in ["SELECT id FROM accounts", "SELECT account FROM journal", "SELECT account FROM account_keys"] {
            known.formUnion(try database.all(query) { AccountRowID($0.blob(0)) })
        }
        for name in names {
            guard let id = AccountRowID(hex: name), id.hex == name, !known.contains(id) else { continue }
            _ = platform_shred_at(directory.shares, name)
        }
    }
}
