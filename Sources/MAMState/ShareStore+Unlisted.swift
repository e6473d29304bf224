import CPlatform
import MAMProtection
import MAMSupport

/// Shares that no account of the state has. Of a state that is older than they are they may be accounts' that the newest one
/// has: they stay where they are.
public struct UnlistedShares: Sendable {
    /// How many there are.
    public let count: Int
    /// The names of the first of them, in order.
    public let first: [String]
    static let most = 64

    /// What diagnostics show.
    public var json: JSON { ["count": .integer(Int64(count)), "first": .strings(first)] }
}

extension ShareStore {
    /// Remove what a process that was killed while it added an account has left of a share: the state names it as never
    /// finished. In a transaction that holds the write lock, as every addition does. It opens nothing, so what cannot be removed
    /// stays.
    func removeUnfinished(_ database: Database, _ stateKey: SealingKey, listed: [AccountRowID]) throws(MAMError) {
        let row = StandingRow(database, stateKey)
        var standing = try row.open(try row.sealed())
        guard !standing.unfinished.isEmpty else { return }
        for id in standing.unfinished where !listed.contains(id) { removeUnfinished(id) }
        standing.unfinished = []
        _ = try row.store(standing)
    }

    /// Remove a share whose addition has failed.
    func removeUnfinished(_ id: AccountRowID) { _ = platform_shred_at(directory.shares, id.hex) }

    /// Those of no account and no wipe.
    func unlisted(_ database: Database, listed: [AccountRowID]) throws(MAMError) -> UnlistedShares {
        let others = try unlistedNames(database, listed: listed)
        return UnlistedShares(count: others.count, first: Array(others.sorted().prefix(UnlistedShares.most)))
    }

    fileprivate func unlistedNames(_ database: Database, listed: [AccountRowID]) throws(MAMError) -> [String] {
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
    /// Shares that no account of the state has, as they were found when it was opened, less what was removed since.
    public var unlistedShares: UnlistedShares { lock.held { unlisted } }

    /// Remove the shares of no account and no wipe; the result is how many there were. With the write lock, as every addition
    /// of an account. Refused while the state is older than it was: they may be accounts' of the newest one.
    public func purge() throws(MAMError) -> Int {
        try connection.held { database throws(MAMError) in
            let copied = progress.copy.sealed()
            return try database.transaction { () throws(MAMError) in
                let view = try view(database, copied)
                if let older = view.older { throw older }
                let listed = try AccountRoster(database: database, stateKey: stateKey).all()
                let names = try shares.unlistedNames(database, listed: listed)
                for name in names {
                    let result = platform_shred_at(directory.shares, name)
                    guard result == 0 else {
                        throw .system(result, "remove it", path: "\(directory.path)/shares/\(name)")
                    }
                }
                unlisted = UnlistedShares(count: 0, first: [])
                return names.count
            }
        }
    }
}
