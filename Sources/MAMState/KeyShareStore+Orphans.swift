import CFiles
import MAMProtection
import MAMSupport

/// Shares without an account. After a rollback they may belong to accounts of the newer state, and are kept.
public struct OrphanedShares: Sendable {
    /// The number of shares.
    public let count: Int
    /// The first names, in order.
    public let first: [String]
    static let most = 64

    /// The form in diagnostics.
    public var json: JSON { ["count": .integer(Int64(count)), "first": .strings(first)] }
}

extension KeyShareStore {
    /// Remove shares of accounts whose addition was not finished, as recorded in the state. Runs in a write transaction, as every
    /// addition does. Failures are ignored, since these shares open nothing.
    func removeUnfinished(_ database: Database, _ stateKey: SealingKey, listed: [AccountRowID]) throws(MAMError) {
        let row = CounterRow(database, stateKey)
        var counterRecord = try row.open(try row.sealed())
        guard !counterRecord.unfinished.isEmpty else { return }
        for id in counterRecord.unfinished where !listed.contains(id) { removeUnfinished(id) }
        counterRecord.unfinished = []
        _ = try row.store(counterRecord)
    }

    /// Remove the share of an account whose addition failed.
    func removeUnfinished(_ id: AccountRowID) { _ = files_shred_at(directory.shares, id.hex) }

    /// The shares without an account or wipe.
    func orphaned(_ database: Database, listed: [AccountRowID]) throws(MAMError) -> OrphanedShares {
        let others = try orphanedNames(database, listed: listed)
        return OrphanedShares(count: others.count, first: Array(others.sorted().prefix(OrphanedShares.most)))
    }

    fileprivate func orphanedNames(_ database: Database, listed: [AccountRowID]) throws(MAMError) -> [String] {
        let names = try directory.shareNames()
        var known = Set(listed)
        if !names.isEmpty {
            for query in ["SELECT id FROM accounts", "SELECT account FROM journal", "SELECT account FROM account_keys"]
            {
                known.formUnion(try database.all(query) { AccountRowID($0.blob(0)) })
            }
        }
        return names.filter { name in
            AccountRowID(hex: name).map { $0.hex == name && !known.contains($0) } ?? false
        }
    }
}

extension State {
    /// The orphaned shares found on open, without those removed since.
    public var orphanedShares: OrphanedShares { connection.withGuardedValues { $0.orphaned } }

    /// Remove the orphaned shares. Returns their number. Runs in a write transaction, as every addition of an account does. Fails
    /// while the state is rolled back, since they may belong to accounts of the newer state.
    public func removeOrphanedShares() throws(MAMError) -> Int {
        try connection.withConnection { database, guarded throws(MAMError) in
            let earlierCounter = guarded.rollbackDetector.file.read()
            return try database.transaction { () throws(MAMError) in
                let view = try view(database, guarded, earlierCounter)
                if let error = view.stateRollbackError { throw error }
                let listed = try AccountRoster(database: database, stateKey: stateKey).all()
                let names = try shares.orphanedNames(database, listed: listed)
                for name in names {
                    let result = files_shred_at(directory.shares, name)
                    guard result == 0 else {
                        throw .system(result, "remove it", path: "\(directory.path)/shares/\(name)")
                    }
                }
                guarded.orphaned = OrphanedShares(count: 0, first: [])
                return names.count
            }
        }
    }
}
