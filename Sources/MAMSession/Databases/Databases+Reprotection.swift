import MAMFiles
import MAMProtection
import MAMSupport

/// Reencryption of databases under the newest key of their account.
extension Databases: DatabaseReprotecting {
    // A database does not name its account: attribute or index does, or the key that opens it.
    func reprotect(_ path: FilePath, _ snapshot: Snapshot) throws(MAMError) -> Bool {
        let known = try owners.find(path)
        let candidates = snapshot.accounts.filter { $0.policy != nil && $0.key != nil }
        if known.isAuthenticated, known.disagreement == nil, let name = known.account.map(Identity.fold) {
            // This app has no key of another app's accounts, or of accounts that are not managed.
            guard snapshot.isOfThisApp(known),
                let owner = snapshot.find(folded: name), candidates.contains(where: { $0 === owner })
            else { return false }
            return try reprotect(path, of: owner)
        }
        for account in candidates where account.problem == nil && account.launchBlock == nil {
            if try opens(path, for: account) { return try reprotect(path, of: account) }
        }
        return false
    }

    /// Whether a key of an account opens a database.
    private func opens(_ path: FilePath, for account: Account) throws(MAMError) -> Bool {
        do throws(MAMError) {
            try withConversionVFS(of: try Identity(account.accountId), isProbe: true) {
                (vfs) throws(MAMError) in
                _ = try DatabaseRekeying(path.text, through: vfs.name, interrupts: interrupts)
            }
            return true
        } catch {
            guard error.code != .busy, error.code != .interrupted else { throw error }
            return false
        }
    }

    private func reprotect(_ path: FilePath, of account: Account) throws(MAMError) -> Bool {
        try account.checkUsable()
        try account.checkReadable(screen)
        // The first key has no former one.
        guard let key = account.key, key.epoch > 1 else { return false }
        let isDone = try withConversionVFS(of: try Identity(account.accountId)) { (vfs) throws(MAMError) in
            try DatabaseRekeying(path.text, through: vfs.name, interrupts: interrupts).run()
        }
        if isDone { log.write(.info, "\(path.text): the database is under the newest key now") }
        return isDone
    }
}
