import MAMSupport

/// The values that the lock of a state's connection guards. Only ``StateConnection`` hands them out, inside its lock.
final class GuardedValues {
    let rollbackDetector: RollbackDetector
    /// The orphaned shares found on open, without those removed since.
    var orphaned: OrphanedShares
    /// The id for the account that the current commit adds.
    var pendingAccountID: AccountRowID?
    /// The schema cookie of the last check; nil before the first check of a connection.
    var schemaSeen: Int64?

    init(_ rollbackDetector: RollbackDetector, _ orphaned: OrphanedShares) {
        self.rollbackDetector = rollbackDetector
        self.orphaned = orphaned
    }

    /// Check the schema once per change, in each transaction, to detect foreign triggers, views or tables.
    func checkSchema(_ database: Database) throws(MAMError) {
        let cookie = try database.first("PRAGMA schema_version") { $0.integer(0) } ?? 0
        guard cookie != schemaSeen else { return }
        schemaSeen = try Schema.checkTables(database, version: try Schema.check(database))
    }

    /// Take the id for the account that is being added, once per commit.
    func takePendingAccountID() -> AccountRowID? {
        defer { pendingAccountID = nil }
        return pendingAccountID
    }
}
