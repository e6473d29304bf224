import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Enrolls accounts by a test policy.
protocol TestEnrolling: AnyObject, Sendable {
    /// Register an account in the state for the test policy, with a data key.
    func applyTestPolicy(_ known: AccountRow?, _ name: AccountName) throws(MAMError)
    /// Report the answer to a policy request of an account under the test policy.
    func report(_ account: Account, _ code: StatusCode) -> EnrollmentStatus
}

/// An account under a test policy counts as enrolled while the session is open, without an authority. In the state it is registered
/// and has a data key: a session without the test policy treats it as unmanaged.
final class TestPolicies: SessionService, TestEnrolling, Sendable {
    let context: SessionContext

    init(_ context: SessionContext) { self.context = context }

    /// Refuse a test policy unless the settings enable it: it is for development. An override counts at the next open.
    static func checkTestPolicy(_ settings: OpenSettings, _ snapshot: Snapshot) throws(MAMError) {
        guard let test = settings.testPolicy, !snapshot.settings.bool(SettingKey.debugSettingsEnabled) else { return }
        throw MAMError(
            .argument,
            "testPolicy: \(ForeignText.bounded(test.path)) is only for development; set DebugSettingsEnabled to true, or leave it out",
            [("setting", "testPolicy"), ("path", .string(test.path))])
    }

    /// Apply the test policy to its account, and warn that it is in force.
    func beginTest() throws(MAMError) {
        guard let test = settings.testPolicy else { return }
        let about: [(key: String, value: JSON)] = [("setting", "testPolicy"), ("path", .string(test.path))]
        guard test.content.isOn, let account = test.content.account else {
            return events.warn(
                "the test policy \(ForeignText.bounded(test.path)) is switched off: DebugEnabled is false", about)
        }
        try enterTest(account)
        events.warn(
            "TEST POLICY: what is answered for one account comes from \(ForeignText.bounded(test.path)), not from its organisation",
            about + testedAccount(account).members)
        for note in test.content.notes {
            log.write(.warning, "test policy: \(ForeignText.quoted(note.key)) changes nothing: \(note.note)")
        }
    }

    /// The account of the test policy, which the policy names by UPN or id.
    private func testedAccount(_ name: Identity) -> NamedAccount {
        snapshots.latest.find(name)?.named ?? NamedAccount(accountId: name.text, upn: nil)
    }

    private func enterTest(_ account: Identity) throws(MAMError) {
        let snapshot = snapshots.latest
        let known = snapshot.find(account)
        func error(_ code: MAMError.Code, _ what: String) -> MAMError {
            MAMError(
                code, "testPolicy: \(ForeignText.quoted(account.text)) \(what)",
                [("setting", "testPolicy"), ("accountId", .string(account.text))])
        }
        if let problem = known?.problem ?? snapshot.problem(of: account) { throw problem }
        guard known?.isTest == true || known?.isEnrolled != true else {
            throw error(.already, "is enrolled: its organisation's policy counts; unenroll it, or test with another")
        }
        guard snapshot.wipe(of: account) == nil else {
            throw error(.busy, "is being wiped; try again when that is done")
        }
        guard
            snapshot.settings.bool(SettingKey.multiManagedIdentities)
                || !snapshot.accounts.contains(where: { $0.isEnrolled && !$0.isTest })
        else {
            throw error(
                .denied, "cannot be managed beside the enrolled account; set MultiManagedIdentities, or unenroll that")
        }
        let name = known.map { AccountName($0.record) } ?? AccountName(accountId: nil, upn: account.text, tenantId: nil)
        if let code = snapshot.device.accounts.refusalCode(of: name) {
            throw error(.denied, "may not be used here: \(code.guidance)")
        }
        if settings.isExtension, known?.isTest != true {
            throw error(.denied, "is not under a test policy in the containing app; open that with it first")
        }
        if known?.isTest != true { try applyTestPolicy(known?.row, name) }
    }

    func report(_ account: Account, _ code: StatusCode) -> EnrollmentStatus {
        let status = status(code, of: account, message: "The account is under a test policy; no authority was asked")
        events.emit(.policyRequest, status)
        return status
    }

    func applyTestPolicy(_ known: AccountRow?, _ name: AccountName) throws(MAMError) {
        try state.commitForAll(mayAddAccount: known == nil) { (view) throws(MAMError) in
            var row = known
            // Another session may have added the account meanwhile.
            let wiping = try view.journal.all()
            for case .open(let other) in try view.accounts.all() where row == nil && name.matches(other.record) {
                if !wiping.contains(where: { $0.account == other.id }) { row = other }
            }
            if row == nil {
                row = try view.accounts.add(
                    AccountRecord(accountId: name.accountId, upn: name.upn, tenantId: name.tenantId))
            }
            guard let row else { return }
            try view.accounts.change(row) { (record) throws(MAMError) in
                try record.advance(.registered)
                record.nextCheckIn = nil
                record.nextInUse = nil
            }
            try view.keys.makeFirst(for: row)
        }
        try reload()
    }
}
