import MAMPolicy
import MAMState
import MAMSupport

/// Accounts that a launch has found closed: from then on this session answers closed for them, until a later one finds them
/// open. A host that never launches is not guarded.
extension Session {
    /// A snapshot with what is guarded in it.
    func guarded(_ snapshot: Snapshot) -> Snapshot {
        let enabled = snapshot.accounts.filter { !$0.record.isDisabled }.map(\.row.id)
        let guards = lock.held {
            for id in enabled where self.guards[id]?.isOfUser ?? false { self.guards[id] = nil }
            return self.guards
        }
        return guards.isEmpty && !snapshot.accounts.contains { $0.launchGuard != nil }
            ? snapshot : Snapshot(snapshot, guards: guards)
    }

    /// Guard accounts, or let them be used again (nil), and answer by it at once.
    func setGuards(_ changes: [AccountRowID: LaunchGuard?]) throws(MAMError) {
        let isNew = lock.held {
            let before = guards
            for (id, guarding) in changes { guards[id] = guarding }
            return before != guards
        }
        guard isNew else { return }
        let done = try publishing.held(within: 60_000, unless: interrupts) { () throws(MAMError) -> Bool in
            _ = publish(guarded(lock.held { snapshot }))
            return true
        }
        guard done == true else {
            throw Session.isLoading
        }
    }

    /// Refuse to open data of an account that is guarded.
    func checkUnguarded(_ account: Account) throws(MAMError) {
        guard let guarding = account.launchGuard else { return }
        throw MAMError(
            .locked, "\(account.accountId): \(guarding.message); launch or resume first",
            [("accountId", .string(account.accountId)), ("reason", .string(guarding.reason.name))])
    }

    /// The same of one whose keys could not be read as well.
    func checkUsable(_ account: Account) throws(MAMError) {
        if let problem = account.problem { throw problem }
        try checkUnguarded(account)
    }
}
