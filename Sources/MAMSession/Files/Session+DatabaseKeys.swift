import MAMFiles
import MAMProtection
import MAMSupport

/// Databases whose pages move to the newest epoch of their owner's key.
extension Session {
    /// Whether that was done. A database does not say whose it is: attribute and index do, else whose key opens it.
    func reprotectDatabase(_ path: FilePath, _ snapshot: Snapshot) throws(MAMError) -> Bool {
        let known = try owners.find(path)
        var candidates = snapshot.accounts.filter { $0.policy != nil && $0.key != nil }
        let name = known.isAuthenticated ? known.account.map { Identity.fold($0) } : nil
        if let owner = name.flatMap({ name in candidates.first { $0.names.contains(name) } }) {
            return try reprotectDatabase(path, of: owner)
        }
        candidates.removeAll { $0.problem != nil || $0.launchGuard != nil }
        for account in candidates {
            let isOpened = try? throughConversion(of: try Identity(account.accountId), isQuiet: true) {
                (system) throws(MAMError) in
                _ = try DatabaseRewriting(path.text, through: system, interrupts: interrupts)
                return true
            }
            if isOpened ?? false { return try reprotectDatabase(path, of: account) }
        }
        return false
    }

    private func reprotectDatabase(_ path: FilePath, of account: Account) throws(MAMError) -> Bool {
        if let problem = account.problem { throw problem }
        try checkUnguarded(account)
        // Under the first key there is none before it.
        guard let key = account.key, key.epoch > 1 else { return false }
        let isDone = try throughConversion(of: try Identity(account.accountId)) { (system) throws(MAMError) in
            try DatabaseRewriting(path.text, through: system, interrupts: interrupts).run()
        }
        if isDone { log.write(.info, "\(path.text): the database is under the newest key now") }
        return isDone
    }
}
