/// The values that the lock of a state's connection guards. Only ``StateConnection`` hands them out, inside its lock.
final class GuardedValues {
    let rollbackDetector: RollbackDetector
    /// The orphaned shares found on open, without those removed since.
    var orphaned: OrphanedShares
    /// The id for the account that the current commit adds.
    var pendingAccountID: AccountRowID?

    init(_ rollbackDetector: RollbackDetector, _ orphaned: OrphanedShares) {
        self.rollbackDetector = rollbackDetector
        self.orphaned = orphaned
    }

    /// Take the id for the account that is being added, once per commit.
    func takePendingAccountID() -> AccountRowID? {
        defer { pendingAccountID = nil }
        return pendingAccountID
    }
}
