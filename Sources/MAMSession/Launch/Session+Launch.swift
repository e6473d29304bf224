import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// What is done and looked at before a host shows data.
extension Session {
    /// `mam_launch`.
    public func launch() throws(MAMError) -> Int64 {
        try checkRoom()
        return start(.launch(.begin))
    }

    /// `mam_resume`.
    public func resume() throws(MAMError) -> Int64 {
        try checkRoom()
        return start(.launch(.check(LaunchRun(.resume))))
    }

    /// Carry a launch on by one step.
    func carryOut(_ step: LaunchStep) throws(MAMError) -> Outcome {
        switch step {
        case .begin: return try beginLaunch()
        case .introduce(let id, let status): return try introduce(id, status)
        case .judge(let attempt): return .next(.launch(.check(LaunchRun(.launch(attempt)))))
        case .check(let run):
            switch try advance(run) {
            case .outside(let outcome): return outcome
            case .further(let run): return .next(.launch(.check(run)))
            case .ended(let launched): return .ended(.launch(try judge(try conclude(launched, run), run)))
            }
        }
    }

    private func beginLaunch() throws(MAMError) -> Outcome {
        let snapshot = try current()
        guard snapshot.settings.bool(SettingKey.autoEnrollOnLaunch), !isExtension(snapshot) else {
            return .next(.launch(.judge(nil)))
        }
        let hasPolicy = snapshot.accounts.contains { $0.policy != nil }
        let mayAsk = snapshot.settings.bool(SettingKey.policyRequired) && !hasPolicy
        let hint = try accountToEnroll(snapshot)
        guard hint != nil || mayAsk else { return .next(.launch(.judge(nil))) }
        let step: SignIn.Step = hint.map { .quietly($0) } ?? .ask
        return .next(.signIn(SignIn(step: step, hint: hint, purpose: .launch(mayAsk: mayAsk))))
    }

    /// The device's account, else the one registered account, else the one of other apps of the group, where it is not
    /// enrolled and may be.
    private func accountToEnroll(_ snapshot: Snapshot) throws(MAMError) -> AccountName? {
        guard hasRoomForAccount(snapshot) else { return nil }
        if let device = device.account {
            let isEnrolled = snapshot.accounts.contains { $0.isEnrolled && Session.isSame($0.record, device) }
            return isEnrolled ? nil : device
        }
        let waiting = snapshot.accounts.filter { $0.state == .registered }
        if waiting.isEmpty { return try groupAccount(snapshot) }
        return waiting.count == 1 ? waiting.first.map { Candidate.known($0).name } : nil
    }

    /// The host may refuse an account that it did not register: then it is unenrolled again.
    private func introduce(_ id: AccountRowID, _ status: EnrollmentStatus) throws(MAMError) -> Outcome {
        // Without anybody to ask, the account stays: the callback is optional.
        guard hasHost, let account = try current().accounts.first(where: { $0.row.id == id }), account.isEnrolled else {
            return .next(.launch(.judge(status)))
        }
        let asked = ask(.addAccount, subject: id.hex, of: account.named)
        switch asked {
        case .answer(.truth(true)): return .next(.launch(.judge(status)))
        case .answer:
            _ = try unenroll(account)
            let refused = self.status(
                .loginCanceled, of: account, message: "The app did not take the device's account")
            return .next(.launch(.judge(refused)))
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        }
    }

    private func judge(_ found: LaunchReport.Account, _ run: LaunchRun) throws(MAMError) -> LaunchReport {
        let snapshot = try current()
        var attempt: EnrollmentStatus?
        if case .launch(let status) = run.purpose { attempt = status }
        let presence = PolicyPresence(
            hasPolicy: snapshot.accounts.contains { $0.policy != nil },
            isRequired: snapshot.settings.bool(SettingKey.policyRequired),
            warnsAbsent: snapshot.settings.bool(SettingKey.policyWarnAbsent),
            enrollsOnLaunch: snapshot.settings.bool(SettingKey.autoEnrollOnLaunch), attempt: attempt)
        return LaunchReport(
            presence.findings + closedFindings(snapshot) + wipingFindings(snapshot, beside: found.findings)
                + found.findings,
            notApplicable: found.notApplicable, time: clock.now())
    }

    /// Accounts that are being wiped, by whomever, and of which this launch has not told it already.
    private func wipingFindings(
        _ snapshot: Snapshot, beside found: [LaunchReport.Finding]
    ) -> [LaunchReport.Finding] {
        let told = found.filter { $0.action == .wipe }.compactMap { $0.account?.accountId.map { Identity.fold($0) } }
        return snapshot.wipes.filter { $0.step < .removed && !told.contains(Identity.fold($0.accountId)) }.map {
            entry in
            Session.isWiping.about(entry.named(or: entry.account.hex))
        }
    }

    /// What is found of an account that is being wiped.
    static let isWiping = LaunchReport.Finding(.wipe, .wipe, "The account is being wiped")

    /// Accounts of which nothing can be told.
    private func closedFindings(_ snapshot: Snapshot) -> [LaunchReport.Finding] {
        snapshot.closed.map { closed in
            LaunchReport.Finding(
                .account, .block, "An account's data stays closed: \(closed.error.message)"
            ).about(closed.tag?.named ?? NamedAccount(accountId: closed.id.hex, upn: nil))
        }
    }

    /// What cannot be looked at is not allowed.
    func launchFailed(_ message: String) -> LaunchReport {
        LaunchReport([.init(.library, .block, message)], time: clock.now())
    }
}
