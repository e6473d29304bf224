import MAMPolicy
import MAMState
import MAMSupport

/// Accounts that are closed: for what is known of the account itself in every session of the app, for what a launch, resume or
/// switch has found in the session that looked.
extension Session {
    /// A snapshot with what this session has found in it.
    func guarded(_ snapshot: Snapshot) -> Snapshot {
        let guards = lock.held { self.guards }
        var found: [AccountRowID: [LaunchReport.Finding]] = [:]
        for account in snapshot.accounts {
            found[account.row.id] = guards[account.row.id]?.standing(since: account.record.lastCheckIn)
        }
        let isSame = snapshot.accounts.allSatisfy { $0.sessionFindings == found[$0.row.id] ?? [] }
        return isSame ? snapshot : Snapshot(snapshot, found: found)
    }

    /// Keep what was found of accounts, in place of what was found of them before, and answer by it at once.
    func setGuards(_ found: [AccountRowID: SessionFindings]) throws(MAMError) {
        lock.held { for (id, findings) in found { guards[id] = findings.findings.isEmpty ? nil : findings } }
        try publishGuards()
    }

    /// A person has shown the PIN, or set one, outside a launch: it does not keep the account closed any more. What else was
    /// found stays.
    func liftPIN(of id: AccountRowID) throws(MAMError) {
        let isClosed = lock.held {
            let before = guards[id]?.findings.count
            guards[id]?.findings.removeAll { $0.check == LaunchCheck.pin.rawValue }
            return before != guards[id]?.findings.count
        }
        if isClosed { try publishGuards() }
    }

    private func publishGuards() throws(MAMError) { try snapshots.replace(guarded) }

    /// Refuse to open data of an account that is closed.
    func checkUnguarded(_ account: Account) throws(MAMError) {
        guard let guarding = account.launchGuard else { return }
        throw MAMError(
            .locked, "\(account.accountId): \(guarding.message)\(guarding.remedy)",
            account.named.members + guarding.detail)
    }

    /// The same of an account whose keys could not be read as well.
    func checkUsable(_ account: Account) throws(MAMError) {
        if let problem = account.problem { throw problem }
        try checkUnguarded(account)
    }
}
