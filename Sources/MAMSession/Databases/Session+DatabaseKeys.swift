import MAMFiles
import MAMProtection
import MAMSupport

/// Databases whose pages move to the newest epoch of their owner's key.
extension Session {
    /// Whether that was done. A database does not say whose it is: attribute and index do, else whose key opens it.
    func reprotectDatabase(_ path: FilePath, _ snapshot: Snapshot) throws(MAMError) -> Bool {
        let known = try owners.find(path)
        let candidates = snapshot.accounts.filter { $0.policy != nil && $0.key != nil }
        if known.isAuthenticated, known.disagreement == nil, let name = known.account.map(Identity.fold) {
            // Another app's, or nobody's who is managed here: there is no key for it.
            guard isOfThisApp(known),
                let owner = snapshot.find(folded: name), candidates.contains(where: { $0 === owner })
            else { return false }
            return try reprotectDatabase(path, of: owner)
        }
        for account in candidates where account.problem == nil && account.launchGuard == nil {
            if try opens(path, for: account) { return try reprotectDatabase(path, of: account) }
        }
        return false
    }

    /// Whether a key of the account's opens a database.
    private func opens(_ path: FilePath, for account: Account) throws(MAMError) -> Bool {
        do throws(MAMError) {
            try databases.withPassing(of: try Identity(account.accountId), isQuiet: true) { (system) throws(MAMError) in
                _ = try DatabaseRewriting(path.text, through: system.name, interrupts: interrupts)
            }
            return true
        } catch {
            guard error.code != .busy, error.code != .interrupted else { throw error }
            return false
        }
    }

    private func reprotectDatabase(_ path: FilePath, of account: Account) throws(MAMError) -> Bool {
        try checkUsable(account)
        // Under the first key there is none before it.
        guard let key = account.key, key.epoch > 1 else { return false }
        let isDone = try databases.withPassing(of: try Identity(account.accountId)) { (system) throws(MAMError) in
            try DatabaseRewriting(path.text, through: system.name, interrupts: interrupts).run()
        }
        if isDone { log.write(.info, "\(path.text): the database is under the newest key now") }
        return isDone
    }
}
