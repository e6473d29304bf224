import CPlatform
import MAMPolicy
import MAMState
import MAMSupport

/// The way through the checks: check in what has to, look, wipe, ask, and look again until there is nothing left to do.
extension Session {
    /// Take the next step of a run.
    func advance(_ run: LaunchRun) throws(MAMError) -> LaunchProgress {
        var run = run
        let accounts = accounts(of: run, try currentRecords())
        let access = try accessRecords()
        let health = try deviceHealth()
        if let progress = try askForHealth(health, accounts, run) { return progress }
        var launched: [LaunchedAccount] = []
        for account in accounts {
            let id = account.row.id
            let found = try look(
                at: account, health, access[account.accessKey], shown: run.shown[id] ?? [], isLaunch: run.isLaunch,
                isOnline: run.answered.contains(id))
            if account.isEnrolled, !run.checkedIn.contains(id), needsCheckIn(account, found, run) {
                let outcome = try checkIn(account, isFirst: false)
                guard case .ended(let ended) = outcome else { return .outside(outcome) }
                if case .enrollment(let status) = ended, status.code == .policyRecordGone,
                    run.renewed.insert(id).inserted
                {
                    return .further(run)
                }
                run.checkedIn.insert(id)
                if case .enrollment(let status) = ended, status.code.isSuccess { run.answered.insert(id) }
                // What the authority asked for, or its refusal: the account is gone from the next look.
                if try current().wipes.contains(where: { $0.account == id }) {
                    let finding = LaunchReport.Finding(.wipe, .wipe, "The account is being wiped, by its check-in")
                    run.wiped.append(finding.about(account.accountId))
                }
                return .further(run)
            }
            if found.findings.contains(where: { $0.action == .wipe }) {
                run.wiped += found.findings.map { $0.about(account.accountId) }
                try wipe(account, Tombstone(reason: "conditionalLaunch", wipe: nil))
                return .further(run)
            }
            launched.append(LaunchedAccount(account: account, found: found))
        }
        for one in launched {
            if let progress = try ask(one, run, access[one.account.accessKey]) { return progress }
        }
        return .ended(launched)
    }

    /// Which accounts a run is about.
    private func accounts(of run: LaunchRun, _ snapshot: Snapshot) -> [Account] {
        switch run.purpose {
        case .launch, .resume: return snapshot.accounts.filter(\.isEnrolled)
        case .identities(let names):
            let named = Set(names.compactMap { snapshot.find($0)?.row.id })
            return snapshot.accounts.filter { $0.isEnrolled && named.contains($0.row.id) }
        }
    }

    /// An account that has been offline for too long may be so no more; and whose time has come is looked after at launch.
    private func needsCheckIn(_ account: Account, _ found: LaunchReport.Account, _ run: LaunchRun) -> Bool {
        // The containing app checks in.
        guard !settings.isExtension else { return false }
        let offline = [LaunchCheck.offline.rawValue, LaunchCheck.offlineWipe.rawValue]
        if found.findings.contains(where: { offline.contains($0.check) }) { return true }
        if case .identities = run.purpose { return false }
        return account.record.nextCheckIn.map { Session.isDue($0, clock.now()) } ?? false
    }

    /// Ask for what an account asks of a person; nil where there is nothing to ask. Nobody is asked while it is blocked anyway.
    private func ask(_ one: LaunchedAccount, _ run: LaunchRun, _ access: AccessRecord?) throws(MAMError)
        -> LaunchProgress?
    {
        let account = one.account
        guard !run.declined.contains(account.row.id), asksNow(run),
            !one.found.findings.contains(where: { $0.action == .block })
        else { return nil }
        let prompts = one.found.findings.filter { $0.action == .prompt }
        let mayCancel = !(try current().settings.bool(SettingKey.multiIdentityCancelDisabled))
        if prompts.contains(where: { $0.check == LaunchCheck.pin.rawValue }) {
            let health = try deviceHealth()
            let demand = try launchFacts(account, health, access, shown: run.shown[account.row.id] ?? []).pin
            if demand == .enter, mayShowBiometrics(account, access), !run.withoutBiometrics.contains(account.row.id) {
                return try askToAuthenticate(account, .biometrics, run, mayCancel: mayCancel)
            }
            return try askForPIN(account, run)
        }
        guard prompts.contains(where: { $0.check == LaunchCheck.credentials.rawValue }) else { return nil }
        return try askToAuthenticate(account, .credentials, run, mayCancel: mayCancel)
    }

    /// A host with several identities asks when an account is switched to, not before.
    private func asksNow(_ run: LaunchRun) -> Bool {
        guard case .launch = run.purpose else { return true }
        return !lock.held { snapshot.settings }.bool(SettingKey.multiIdentity)
    }

    /// Biometrics stand in for a PIN that was shown, until the policy's timeout.
    private func mayShowBiometrics(_ account: Account, _ access: AccessRecord?) -> Bool {
        guard let policy = account.policy, policy.allowsBiometrics, let access else { return false }
        let timeout = policy.biometricTimeout ?? TimeSpan(milliseconds: .max)
        return !access.demandsPIN(after: timeout, at: reading)
    }

    private func askToAuthenticate(
        _ account: Account, _ proof: AccessRecord.Proof, _ run: LaunchRun, mayCancel: Bool
    ) throws(MAMError) -> LaunchProgress {
        let asked = ask(
            .authenticate, subject: "\(account.row.id.hex)/\(proof.rawValue)",
            [
                ("accountId", .string(account.accountId)), ("upn", .optional(account.record.upn)),
                ("purpose", "access"), ("methods", .strings([proof.rawValue])), ("mayCancel", .bool(mayCancel)),
            ])
        switch asked {
        case .later(let question): return .outside(.later(question: question))
        case .abandoned: return .outside(.abandoned)
        case .answer(.authenticated(proof)): return .further(try shown(proof, account, run))
        case .answer(.account(let name)) where proof == .credentials && Session.hasSignedIn(name, as: account.record):
            return .further(try shown(proof, account, run))
        case .answer where proof == .biometrics:
            var further = run
            further.withoutBiometrics.insert(account.row.id)
            return .further(further)
        case .answer: return .further(declined(account, run))
        }
    }

    func shown(_ proof: AccessRecord.Proof, _ account: Account, _ run: LaunchRun) throws(MAMError) -> LaunchRun {
        var further = run
        further.shown[account.row.id, default: []].insert(proof)
        if proof != .pin { try state.write { (view) throws(MAMError) in try note(proof, for: account, view) } }
        if proof == .credentials, LaunchHistory(json: account.record.launch).mustSignIn {
            if let row = try changeHistory(of: account, { history, _ in history.mustSignIn = false }) {
                noteRecord(row)
            }
        }
        return further
    }

    func declined(_ account: Account, _ run: LaunchRun) -> LaunchRun {
        var further = run
        further.declined.insert(account.row.id)
        return further
    }

    // MARK: The end

    /// Guard what was found closed, let the rest be used, and remember what was told. The result is what the report tells.
    func conclude(_ launched: [LaunchedAccount], _ run: LaunchRun) throws(MAMError) -> LaunchReport.Account {
        var report = LaunchReport.Account(findings: run.wiped)
        var guards: [AccountRowID: LaunchGuard?] = [:]
        for one in launched {
            let asks = asksNow(run)
            let counting = one.found.findings.filter { asks || $0.action != .prompt }
            guards.updateValue(guarding(counting, one.account, run), forKey: one.account.row.id)
            var history = LaunchHistory(json: one.account.record.launch)
            report.findings += history.dismissing(counting).filter { !$0.isDismissed }.map {
                $0.about(one.account.accountId)
            }
            report.notApplicable += one.found.notApplicable.map { $0.about(one.account.accountId) }
            history.tell(counting)
            let told = history
            // The app hears again what an extension heard.
            if !settings.isExtension, told != LaunchHistory(json: one.account.record.launch) {
                let row = try changeHistory(of: one.account) { history, _ in history.tell(counting) }
                if let row { noteRecord(row) }
            }
        }
        try noteOffline(launched.map(\.account))
        try noteActive(launched.map(\.account).filter { guards[$0.row.id] == .some(nil) })
        try setGuards(guards)
        return report
    }

    /// Why an account is kept closed; nil where it is not.
    private func guarding(
        _ findings: [LaunchReport.Finding], _ account: Account, _ run: LaunchRun
    ) -> LaunchGuard? {
        let closing = findings.filter { $0.action == .block || $0.action == .prompt }
        guard let first = LaunchReport(closing, time: clock.now()).findings.first else { return nil }
        let isClockedOut = closing.allSatisfy { $0.check == LaunchCheck.clockedOut.rawValue }
        let reason: BlockReason =
            first.action == .prompt
            ? .conditionalLaunchCanceled : isClockedOut ? .clockedOut : .conditionalLaunchBlocked
        return LaunchGuard(
            reason: reason, message: first.message,
            isOfUser: closing.allSatisfy { $0.check == LaunchCheck.disabledAccount.rawValue })
    }
}

extension LaunchReport.NotApplicable {
    func about(_ accountId: String) -> LaunchReport.NotApplicable {
        var copy = self
        copy.accountId = accountId
        return copy
    }
}
