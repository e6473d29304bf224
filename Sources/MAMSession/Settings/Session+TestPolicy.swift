import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// An account under a test policy counts as enrolled while the session is open, and no authority hears of it. In the state it
/// is registered, with a data key: a session without the test policy finds it unmanaged.
extension Session {
    /// A test policy is for development: the settings have to say so. What is set later counts at the next open.
    static func checkTestPolicy(_ settings: OpenSettings, _ snapshot: Snapshot) throws(MAMError) {
        guard let test = settings.testPolicy, !snapshot.settings.bool(SettingKey.debugSettingsEnabled) else { return }
        throw MAMError(
            .argument,
            "testPolicy: \(Line.bounded(test.path)) is only for development; set DebugSettingsEnabled to true, or leave it out",
            [("setting", "testPolicy"), ("path", .string(test.path))])
    }

    /// Put the account of the test policy under it, and say so loudly.
    func beginTest() throws(MAMError) {
        guard let test = settings.testPolicy else { return }
        let about: [(key: String, value: JSON)] = [("setting", "testPolicy"), ("path", .string(test.path))]
        guard test.content.isOn, let account = test.content.account else {
            return warn("the test policy \(Line.bounded(test.path)) is switched off: DebugEnabled is false", about)
        }
        try enterTest(account)
        warn(
            "TEST POLICY: what is answered for one account comes from \(Line.bounded(test.path)), not from its organisation",
            about + testedAccount(account).members)
        for note in test.content.notes {
            log.write(.warning, "test policy: \(Line.quoted(note.key)) changes nothing: \(note.note)")
        }
    }

    /// The account of the test policy, which names it by its UPN or by its id.
    private func testedAccount(_ name: Identity) -> NamedAccount {
        snapshots.latest.find(name)?.named ?? NamedAccount(accountId: name.text, upn: nil)
    }

    /// Whether an account of a name is under the test policy, where nobody has enrolled it.
    func isOfTest(_ name: AccountName) -> Bool { settings.testPolicy?.isOf(name.folded) ?? false }

    private func enterTest(_ account: Identity) throws(MAMError) {
        let snapshot = snapshots.latest
        let known = snapshot.find(account)
        func refusal(_ code: MAMError.Code, _ what: String) -> MAMError {
            MAMError(
                code, "testPolicy: \(Line.quoted(account.text)) \(what)",
                [("setting", "testPolicy"), ("accountId", .string(account.text))])
        }
        if let problem = known?.problem ?? snapshot.problem(of: account) { throw problem }
        guard known?.isTest == true || known?.isEnrolled != true else {
            throw refusal(.already, "is enrolled: its organisation's policy counts; unenroll it, or test with another")
        }
        guard snapshot.wipe(of: account) == nil else {
            throw refusal(.busy, "is being wiped; try again when that is done")
        }
        guard
            snapshot.settings.bool(SettingKey.multiManagedIdentities)
                || !snapshot.accounts.contains(where: { $0.isEnrolled && !$0.isTest })
        else {
            throw refusal(
                .denied, "cannot be managed beside the enrolled account; set MultiManagedIdentities, or unenroll that")
        }
        let name = known.map { AccountName($0.record) } ?? AccountName(accountId: nil, upn: account.text, tenantId: nil)
        if let code = device.refusal(of: name) { throw refusal(.denied, "may not be used here: \(code.guidance)") }
        if settings.isExtension, known?.isTest != true {
            throw refusal(.denied, "is not under a test policy in the containing app; open that with it first")
        }
        if known?.isTest != true { try putUnderTest(known?.row, name) }
    }

    /// An enrollment that the test policy grants.
    func enrollByTest(_ candidate: Candidate) throws(MAMError) -> Outcome {
        let snapshot = try current()
        if let refusal = registrationRefusal(candidate.name, snapshot) ?? secondRefusal(candidate, snapshot) {
            return .done(try failed(candidate, refusal, "", false))
        }
        try putUnderTest(candidate.row, candidate.name)
        let names = candidate.name.folded
        guard
            let account = try current().accounts.first(where: { $0.isTest && $0.names.contains(where: names.contains) })
        else {
            return .done(removedMeanwhile())
        }
        let status = status(.newPoliciesReceived, of: account, message: "The account is under a test policy")
        emit("enrollmentRequest", status)
        return .done(tellTest(account, .newPoliciesReceived))
    }

    /// The answer to a policy request of an account under a test policy.
    func tellTest(_ account: Account, _ code: StatusCode) -> EnrollmentStatus {
        let status = status(code, of: account, message: "The account is under a test policy; no authority was asked")
        emit("policyRequest", status)
        return status
    }

    private func putUnderTest(_ known: AccountRow?, _ name: AccountName) throws(MAMError) {
        try state.publish(mayAdd: known == nil) { (view) throws(MAMError) in
            var row = known
            // Another session may have entered it meanwhile.
            let wiping = try view.journal.all()
            for case .open(let other) in try view.accounts.all() where row == nil && Session.isSame(other.record, name)
            {
                if !wiping.contains(where: { $0.account == other.id }) { row = other }
            }
            if row == nil {
                row = try view.accounts.add(
                    AccountRecord(
                        accountId: name.accountId, upn: name.upn, tenantId: name.tenantId,
                        state: EnrollmentState.registered.rawValue))
            }
            guard let row else { return }
            try view.accounts.change(row) { (record) throws(MAMError) in
                try advance(&record, .registered)
                record.nextCheckIn = nil
                record.nextInUse = nil
            }
            try view.keys.makeFirst(for: row)
        }
        try reload()
    }
}
