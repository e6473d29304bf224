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
                if let entry = try current().wipes.first(where: { $0.account == id }) {
                    let isRefused = entry.reason == Session.offlineReason
                    let refused = isRefused ? account.policy?.refusalWipe(after: TimeSpan(milliseconds: .max)) : nil
                    let finding = refused ?? .init(.wipe, .wipe, "The account is being wiped, by its check-in")
                    run.wiped.append(finding.about(account.named))
                }
                return .further(run)
            }
            if found.wipes {
                run.wiped += found.reported(isInUse: try asks(account, run)).map { $0.about(account.named) }
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
        if found.wantsCheckIn { return true }
        if case .identities = run.purpose { return false }
        return account.record.nextCheckIn.map { Session.isDue($0, clock.now()) } ?? false
    }

    /// Ask for what an account asks of a person; nil where there is nothing to ask. Nobody is asked while it is blocked anyway.
    private func ask(_ one: LaunchedAccount, _ run: LaunchRun, _ access: AccessRecord?) throws(MAMError)
        -> LaunchProgress?
    {
        let account = one.account
        guard !run.declined.contains(account.row.id), try asks(account, run) else { return nil }
        let mayCancel = !(try current().settings.bool(SettingKey.multiIdentityCancelDisabled))
        let acceptsBiometrics =
            !run.withoutBiometrics.contains(account.row.id)
            && account.policy?.acceptsBiometrics(access, at: reading) ?? false
        switch one.found.question(acceptsBiometrics: acceptsBiometrics) {
        case nil: return nil
        case .pin: return try askForPIN(account, run)
        case .biometrics: return try askToAuthenticate(account, .biometrics, run, mayCancel: mayCancel)
        case .credentials: return try askToAuthenticate(account, .credentials, run, mayCancel: mayCancel)
        }
    }

    private func askToAuthenticate(
        _ account: Account, _ proof: AccessRecord.Proof, _ run: LaunchRun, mayCancel: Bool
    ) throws(MAMError) -> LaunchProgress {
        let asked = ask(
            .authenticate, subject: "\(account.row.id.hex)/\(proof.rawValue)", of: account.named,
            [
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
        if proof != .pin {
            try state.write(isCounted: true) { (view) throws(MAMError) in try note(proof, for: account, view) }
        }
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
}
