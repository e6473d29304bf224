import MAMPolicy
import MAMState
import MAMSupport

/// Accounts that are closed in this session because of what its launches, resumes and switches have found. Findings about the
/// account itself close it in every session of the app.
public final class LaunchBlocks: SessionService, PINBlocking, LaunchBlocking, Sendable {
    let context: SessionContext
    private let findings = Locked<[AccountRowID: SessionFindings]>([:])

    init(_ context: SessionContext) { self.context = context }

    /// A snapshot with this session's findings in it.
    func applied(to snapshot: Snapshot) -> Snapshot {
        let all = findings.withLock { $0 }
        var found: [AccountRowID: [LaunchReport.Finding]] = [:]
        for account in snapshot.accounts {
            found[account.row.id] = all[account.row.id]?.current(since: account.record.lastCheckIn)
        }
        let isSame = snapshot.accounts.allSatisfy { $0.sessionFindings == found[$0.row.id] ?? [] }
        return isSame ? snapshot : Snapshot(snapshot, found: found)
    }

    /// Replace the findings of accounts, and publish them at once.
    func set(_ found: [AccountRowID: SessionFindings]) throws(MAMError) {
        findings.withLock { all in for (id, findings) in found { all[id] = findings.findings.isEmpty ? nil : findings }
        }
        try replaceSnapshot()
    }

    /// Close accounts for one more finding, and publish that at once. Unresolved prompts remain for the launch that follows.
    func add(_ finding: LaunchReport.Finding, to accounts: [Account]) throws(MAMError) {
        findings.withLock { all in
            for account in accounts {
                let lastCheckIn = account.record.lastCheckIn
                let former = all[account.row.id]?.current(since: lastCheckIn).filter { $0.check != finding.check } ?? []
                all[account.row.id] = SessionFindings(findings: former + [finding], lastCheckIn: lastCheckIn)
            }
        }
        try replaceSnapshot()
    }

    /// A person has entered or set the PIN outside a launch: the other findings remain.
    func removePINFindings(of id: AccountRowID) throws(MAMError) {
        let isClosed = findings.withLock { all in
            let before = all[id]?.findings.count
            all[id]?.findings.removeAll { $0.check == LaunchCheck.pin.rawValue }
            return before != all[id]?.findings.count
        }
        if isClosed { try replaceSnapshot() }
    }

    /// The findings of an account that a person can resolve.
    func prompts(of id: AccountRowID) -> [LaunchReport.Finding] {
        findings.withLock { $0[id]?.findings ?? [] }.filter { $0.action == .prompt }
    }

    private func replaceSnapshot() throws(MAMError) { try snapshots.replace(applied) }

    /// `mam_blocked_accounts`.
    public func blockedAccounts() throws(MAMError) -> JSON { try current().blockedAccounts }

    /// `mam_blocked_reason`.
    public func blockedReason(_ argument: AccountArgument) throws(MAMError) -> Int32 {
        let snapshot = try current()
        try snapshot.checkKnown(argument)
        guard let identity = argument.identity else { return BlockReason.notBlocked.rawValue }
        return snapshot.blockReason(of: identity).rawValue
    }

    var locks: [any ForkAware] { [findings] }
}
