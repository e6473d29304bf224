import MAMPolicy
import MAMState
import MAMSupport

/// What persons have shown for accounts: one row of the group, so that its apps ask once.
extension Session {
    private static let accessFact = "access"
    /// As many accounts as a group remembers; the one that was not used for the longest goes.
    private static let mostAccounts = 256

    /// By the names that ``Account/accessKey`` gives.
    func accessRecords() throws(MAMError) -> [String: AccessRecord] {
        try state.read { (view, _) throws(MAMError) in try Session.accessRecords(view) }
    }

    // What does not verify was shown by nobody.
    private static func accessRecords(_ view: StateView) throws(MAMError) -> [String: AccessRecord] {
        let kept: JSON?
        do throws(MAMError) { kept = try view.groupFacts.value(accessFact) } catch {
            guard error.code == .tampered else { throw error }
            kept = nil
        }
        var records: [String: AccessRecord] = [:]
        for (key, json) in kept?.object ?? [] { records[key] = AccessRecord(json: json) }
        return records
    }

    private static func store(_ records: [String: AccessRecord], _ view: StateView) throws(MAMError) {
        var records = records
        if records.count > mostAccounts, let oldest = records.min(by: { $0.value.active.time < $1.value.active.time }) {
            records[oldest.key] = nil
        }
        let members = records.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.json) }
        try view.groupFacts.set(accessFact, to: .object(members))
    }

    /// A person has shown something for an account (nil: has not), in whichever app of the group.
    func note(_ proof: AccessRecord.Proof?, for account: Account, _ view: StateView) throws(MAMError) {
        let (now, period) = (reading, account.policy?.recheckPeriod ?? .seconds(0))
        var records = try Session.accessRecords(view)
        if let proof {
            records[account.accessKey, default: AccessRecord(active: now)].note(proof, within: period, at: now)
        }
        try Session.store(records, view)
    }

    /// Accounts are in use, or have just been: from here on their inactivity is measured.
    func noteActive(_ accounts: [Account]) throws(MAMError) {
        let now = reading
        let managed = accounts.compactMap { account in account.policy.map { (account.accessKey, $0.recheckPeriod) } }
        guard !managed.isEmpty else { return }
        try state.write(isCounted: true) { (view) throws(MAMError) in
            var records = try Session.accessRecords(view)
            for (key, period) in managed {
                records[key, default: AccessRecord(active: now)].use(within: period, at: now)
            }
            try Session.store(records, view)
        }
    }

    /// `mam_pause`: the host goes out of sight.
    public func pause() throws(MAMError) {
        let snapshot = try current()
        let inUse = accountsInUse(snapshot)
        let open = snapshot.accounts.filter { $0.isEnrolled && $0.launchGuard == nil }
        try noteActive(open.filter { inUse.contains($0.row.id) })
        try noteOffline(open)
    }
}

extension Account {
    /// What the group remembers it by.
    var accessKey: String { String(decoding: Identity.fold(accountId), as: UTF8.self) }
}
