import MAMPolicy
import MAMState
import MAMSupport

/// The questions of a run: one question a step.
extension Launches {
    /// Ask the host, once per run, for a report that a policy requires and only the host can make; nil if there is nothing to ask.
    func askForHealth(_ health: DeviceHealth, _ accounts: [Account], _ run: LaunchRun) throws(MAMError)
        -> LaunchProgress?
    {
        let isWanted = accounts.contains { $0.policy?.wantsReport(health) ?? false }
        guard !run.hasAskedForHealth, events.hasHost, isWanted else { return nil }
        var further = run
        further.hasAskedForHealth = true
        switch events.ask(.deviceHealth, subject: "device", of: nil) {
        case .answer(.report(let report)): try self.health.report(report)
        case .later(let question): return .pending(.later(question: question))
        case .abandoned: return .pending(.abandoned)
        case .answer: break
        }
        return .next(further)
    }

    /// Ask a person to authenticate as an account's policy requires; nil where there is nothing to ask. Nobody is asked for an
    /// account that is blocked anyway.
    func ask(_ one: CheckedAccount, _ run: LaunchRun, _ access: AccessRecord?) throws(MAMError) -> LaunchProgress? {
        let account = one.account
        guard !run.declined.contains(account.row.id), try asks(account, run) else { return nil }
        let mayCancel = !(try current().settings.bool(SettingKey.multiIdentityCancelDisabled))
        let acceptsBiometrics =
            !run.withoutBiometrics.contains(account.row.id)
            && account.policy?.acceptsBiometrics(access, at: clock.reading) ?? false
        switch one.found.question(acceptsBiometrics: acceptsBiometrics) {
        case nil: return nil
        case .pin: return try askForPIN(account, run)
        case .biometrics: return try askToAuthenticate(account, .biometrics, run, mayCancel: mayCancel)
        case .credentials: return try askToAuthenticate(account, .credentials, run, mayCancel: mayCancel)
        }
    }

    private func askToAuthenticate(
        _ account: Account, _ method: AccessRecord.Method, _ run: LaunchRun, mayCancel: Bool
    ) throws(MAMError) -> LaunchProgress {
        let asked = events.ask(
            .authenticate, subject: "\(account.row.id.hex)/\(method.rawValue)", of: account.named,
            [
                ("purpose", "access"), ("methods", .strings([method.rawValue])), ("mayCancel", .bool(mayCancel)),
            ])
        switch asked {
        case .later(let question): return .pending(.later(question: question))
        case .abandoned: return .pending(.abandoned)
        case .answer(.authenticated(method)): return .next(try authenticated(method, account, run))
        case .answer(.account(let name)) where method == .credentials && name.isSamePerson(as: account.record):
            return .next(try authenticated(method, account, run))
        case .answer where method == .biometrics:
            var further = run
            further.withoutBiometrics.insert(account.row.id)
            return .next(further)
        case .answer: return .next(run.declining(account))
        }
    }

    /// Take one step of asking for an account's PIN.
    private func askForPIN(_ account: Account, _ run: LaunchRun) throws(MAMError) -> LaunchProgress {
        let known = run.pin.flatMap { $0.account == account.row.id ? $0 : nil }
        var further = run
        switch try pins.advance(known ?? PINConversation(account, .access)) {
        case .next(let conversation): further.pin = conversation
        case .later(let question): return .pending(.later(question: question))
        case .abandoned: return .pending(.abandoned)
        case .ended(let end):
            further.pin = nil
            if end.opens { return .next(try authenticated(.pin, account, further)) }
            if end.result == .wiped {
                let finding = account.policy?.pinWipe(after: .max, end.message) ?? .init(.pin, .wipe, end.message)
                further.wiped.append(finding.about(account.named))
            } else {
                further = further.declining(account)
            }
        }
        return .next(further)
    }

    /// The run after a person has authenticated, which is recorded for the other apps of the group.
    private func authenticated(
        _ method: AccessRecord.Method, _ account: Account, _ run: LaunchRun
    ) throws(MAMError) -> LaunchRun {
        var further = run
        further.methods[account.row.id, default: []].insert(method)
        // The attempt at a PIN has recorded it already.
        if method != .pin {
            try state.write(isRollbackProtected: true) { (view) throws(MAMError) in
                try view.record(method, for: account, at: clock.reading)
            }
        }
        if method == .credentials, account.record.launchHistory.overdue != nil {
            try changeRecord(of: account) { $0.launchHistory.overdue = nil }
        }
        return further
    }
}
