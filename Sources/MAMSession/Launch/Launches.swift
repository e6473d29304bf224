import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Knows which accounts the host uses.
protocol AccountUse: AnyObject, Sendable {
    /// The enrolled accounts in use.
    func accountsInUse(_ snapshot: Snapshot) -> Set<AccountRowID>
}

/// Holds the findings that close accounts in this session.
protocol LaunchBlocking: AnyObject, Sendable {
    /// Replace the findings of accounts, and publish them at once.
    func set(_ found: [AccountRowID: SessionFindings]) throws(MAMError)
    /// Close accounts for one more finding, and publish that at once.
    func add(_ finding: LaunchReport.Finding, to accounts: [Account]) throws(MAMError)
    /// The findings of an account that a person can resolve.
    func prompts(of id: AccountRowID) -> [LaunchReport.Finding]
}

/// Asks persons for PINs.
protocol LaunchPINs: AnyObject, Sendable {
    /// An account's PIN; fails with `.tampered` where its row does not verify.
    func accountPIN(_ account: Account) throws(MAMError) -> AccountPIN
    /// Take one step of a conversation.
    func advance(_ conversation: PINConversation) throws(MAMError) -> PINProgress
}

/// Knows the health of the device.
protocol LaunchHealth: AnyObject, Sendable {
    /// The health as it is known now.
    func current() throws(MAMError) -> DeviceHealth
    /// Store a report of the host.
    func report(_ json: JSON) throws(MAMError)
    /// Limit the time for which what was found of a health holds.
    func limit(_ validity: inout FindingsValidity, of health: DeviceHealth, sinceBoot now: TimeSpan)
}

/// Launches, resumes and conditional launch: the checks before a host shows an account's data.
public final class Launches: SessionService, LaunchChecks, Sendable {
    let context: SessionContext
    let identities: any AccountUse
    let blocks: any LaunchBlocking
    let pins: any LaunchPINs
    let health: any LaunchHealth
    let wipes: any AccountWiping
    let checkIns: any CheckingIn
    let unenrollments: any Unenrolling

    init(
        _ context: SessionContext, _ identities: any AccountUse, _ blocks: any LaunchBlocking,
        _ pins: any LaunchPINs, _ health: any LaunchHealth, _ wipes: any AccountWiping, _ checkIns: any CheckingIn,
        _ unenrollments: any Unenrolling
    ) {
        (self.context, self.identities, self.blocks, self.pins) = (context, identities, blocks, pins)
        (self.health, self.wipes, self.checkIns) = (health, wipes, checkIns)
        self.unenrollments = unenrollments
    }

    /// `mam_launch`.
    public func launch() throws(MAMError) -> Int64 {
        try operations.checkRoom()
        return operations.start(.launch(.begin))
    }

    /// `mam_resume`.
    public func resume() throws(MAMError) -> Int64 {
        try operations.checkRoom()
        return operations.start(.launch(.check(LaunchRun(.resume))))
    }

    /// `mam_pause`: the host is about to be hidden.
    public func pause() throws(MAMError) {
        let snapshot = try current()
        let inUse = identities.accountsInUse(snapshot)
        let open = snapshot.accounts.filter { $0.isEnrolled && $0.launchBlock == nil }
        try recordUse(of: open.filter { inUse.contains($0.row.id) })
        try recordOffline(open)
    }

    /// Carry out one step of a launch or resume.
    func carryOut(_ step: LaunchStep) throws(MAMError) -> StepResult {
        switch step {
        case .begin: return try beginLaunch()
        case .askToAdd(let id, let status): return try askToAdd(id, status)
        case .beginChecks(let attempt): return .next(.launch(.check(LaunchRun(.launch(attempt)))))
        case .check(let run):
            switch try advance(run) {
            case .pending(let outcome): return outcome
            case .next(let run): return .next(.launch(.check(run)))
            case .ended(let launched):
                var attempt: EnrollmentStatus?
                if case .launch(let status) = run.purpose { attempt = status }
                return .ended(.launch(try report(try conclude(launched, run), attempt: attempt)))
            }
        }
    }

    /// The report of a launch that failed. Each account that it should have checked is closed in this session, and nothing else
    /// is. Where these accounts are not known, the finding is about the app.
    func failed(_ error: MAMError) -> LaunchReport {
        let finding = LaunchReport.Finding(library: error)
        do throws(MAMError) {
            let enrolled = try current().accounts.filter(\.isEnrolled)
            guard !enrolled.isEmpty else { return LaunchReport([finding], time: clock.now()) }
            try blocks.add(finding, to: enrolled)
            return try report(LaunchReport.Account(findings: enrolled.map { finding.about($0.named) }), attempt: nil)
        } catch {
            return LaunchReport([finding], time: clock.now())
        }
    }

    private func beginLaunch() throws(MAMError) -> StepResult {
        let snapshot = try current()
        guard snapshot.settings.bool(SettingKey.autoEnrollOnLaunch), !snapshot.isExtension(settings) else {
            return .next(.launch(.beginChecks(nil)))
        }
        let hasPolicy = snapshot.accounts.contains { $0.policy != nil }
        let mayAsk = snapshot.settings.bool(SettingKey.policyRequired) && !hasPolicy
        let hint = try accountToEnroll(snapshot)
        guard hint != nil || mayAsk else { return .next(.launch(.beginChecks(nil))) }
        let step: SignIn.Step = hint.map { .quietly($0) } ?? .ask(refused: nil)
        return .next(.signIn(SignIn(step: step, hint: hint, purpose: .launch(mayAsk: mayAsk))))
    }

    /// The account that a launch enrolls: the device's, else the only registered one, else that of the group's other apps; nil
    /// where it is enrolled already or may not be.
    private func accountToEnroll(_ snapshot: Snapshot) throws(MAMError) -> AccountName? {
        guard snapshot.hasRoomForAccount else { return nil }
        if let device = snapshot.device.accounts.account {
            let isEnrolled = snapshot.accounts.contains { $0.isEnrolled && device.matches($0.record) }
            return isEnrolled ? nil : device
        }
        let waiting = snapshot.accounts.filter { $0.state == .registered }
        if waiting.isEmpty {
            return try state.read { (view, _) throws(MAMError) in try view.groupAccount(for: snapshot) }
        }
        return waiting.count == 1 ? waiting.first.map { Candidate.known($0).name } : nil
    }

    /// Ask the host about an account that it did not register; refused, the account is unenrolled again.
    private func askToAdd(_ id: AccountRowID, _ status: EnrollmentStatus) throws(MAMError) -> StepResult {
        // The callback is optional: without one the account stays.
        guard events.hasHost, let account = try current().accounts.first(where: { $0.row.id == id }), account.isEnrolled
        else {
            return .next(.launch(.beginChecks(status)))
        }
        let asked = events.ask(.addAccount, subject: id.hex, of: account.named)
        switch asked {
        case .answer(.bool(true)): return .next(.launch(.beginChecks(status)))
        case .answer:
            _ = try unenrollments.unenroll(account)
            let refused = EnrollmentStatus(
                accountId: account.accountId, upn: account.record.upn, code: .loginCanceled,
                message: "The app did not take the account, which is unenrolled again. Nothing to do.",
                time: clock.now())
            return .next(.launch(.beginChecks(refused)))
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        }
    }

    /// The report of a launch or resume; `attempt`: the outcome of the enrollment at a launch.
    private func report(
        _ found: LaunchReport.Account, attempt: EnrollmentStatus?
    ) throws(MAMError) -> LaunchReport {
        let snapshot = try current()
        let presence = PolicyPresenceCheck(
            hasPolicy: snapshot.accounts.contains { $0.policy != nil },
            isRequired: snapshot.settings.bool(SettingKey.policyRequired),
            warnsAbsent: snapshot.settings.bool(SettingKey.policyWarnAbsent),
            enrollsOnLaunch: snapshot.settings.bool(SettingKey.autoEnrollOnLaunch), attempt: attempt)
        return LaunchReport(
            presence.findings + snapshot.unopenableFindings + snapshot.wipeFindings(beside: found.findings)
                + found.findings,
            notApplicable: found.notApplicable, time: clock.now())
    }
}
