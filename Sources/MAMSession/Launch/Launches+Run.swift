import MAMPolicy
import MAMState
import MAMSupport

/// Makes and carries out the launch checks of a switch.
protocol LaunchChecks: AnyObject, Sendable {
    /// Take the next step of a run.
    func advance(_ run: LaunchRun) throws(MAMError) -> LaunchProgress
    /// Close and open accounts by what a run has found, and record what was reported.
    func conclude(_ launched: [CheckedAccount], _ run: LaunchRun) throws(MAMError) -> LaunchReport.Account
    /// Record that accounts are, or have just been, in use.
    func recordUse(of accounts: [Account]) throws(MAMError)
}

/// The launch checks: check in, check, wipe, ask, and check again until there is nothing left to do.
extension Launches {
    func advance(_ run: LaunchRun) throws(MAMError) -> LaunchProgress {
        if let id = run.checkIn { return try checkIn(id, run) }
        var run = run
        let accounts = run.accounts(in: try snapshots.currentRecords())
        let access = try accessRecords()
        let health = try self.health.current()
        if let progress = try askForHealth(health, accounts, run) { return progress }
        var launched: [CheckedAccount] = []
        for account in accounts {
            let id = account.row.id
            let found = try check(
                account, health, access[account], methods: run.methods[id] ?? [], isLaunch: run.isLaunch,
                isOnline: run.answered.contains(id))
            if account.isEnrolled, !run.checkedIn.contains(id), needsCheckIn(account, found, run) {
                // A launch waits for a service only if its answer may open the account.
                if settings.authority.isService, !found.wantsCheckIn {
                    operations.startUnlessQueued(.checkIn([id]), subject: id.bytes)
                    operations.wakeWorker()
                    run.checkedIn.insert(id)
                } else {
                    run.checkIn = id
                    return .next(run)
                }
            }
            if found.wipes {
                run.wiped += found.reported(isInUse: try asks(account, run)).map { $0.about(account.named) }
                try wipes.wipe(account.row, Tombstone(reason: .conditionalLaunch, wipe: nil))
                return .next(run)
            }
            launched.append(CheckedAccount(account: account, found: found))
        }
        for one in launched {
            if let progress = try ask(one, run, access[one.account]) { return progress }
        }
        return .ended(launched)
    }

    /// Take the step in which an account checks in.
    private func checkIn(_ id: AccountRowID, _ run: LaunchRun) throws(MAMError) -> LaunchProgress {
        var next = run
        next.checkIn = nil
        guard let account = run.accounts(in: try snapshots.currentRecords()).first(where: { $0.row.id == id }) else {
            return .next(next)
        }
        let outcome = try checkIns.checkIn(account, isFirst: false)
        guard case .ended(let ended) = outcome else { return .pending(outcome) }
        if case .enrollment(let status) = ended, status.code == .policyRecordGone, next.renewed.insert(id).inserted {
            return .next(next)
        }
        next.checkedIn.insert(id)
        if case .enrollment(let status) = ended, status.code.isSuccess { next.answered.insert(id) }
        // The check-in may have wiped the account: the next step does not find it any more.
        if let entry = try current().wipes.first(where: { $0.account == id }) {
            let isRefused = entry.reason == .offline
            let refused = isRefused ? account.policy?.refusalWipe(after: TimeSpan(milliseconds: .max)) : nil
            let finding = refused ?? .init(.wipe, .wipe, "The account is being wiped, by its check-in")
            next.wiped.append(finding.about(account.named))
        }
        return .next(next)
    }

    /// Whether an account checks in during a run: an answer may end its time offline, and a launch or resume makes check-ins
    /// that are due.
    private func needsCheckIn(_ account: Account, _ found: LaunchReport.Account, _ run: LaunchRun) -> Bool {
        // The containing app checks in.
        guard !settings.isExtension else { return false }
        if found.wantsCheckIn { return true }
        if case .identities = run.purpose { return false }
        return account.record.nextCheckIn.map { CheckInSchedule.isDue($0, clock.now()) } ?? false
    }

    /// Whether a run asks persons to authenticate for an account, and warns about it: at a switch, and at a launch or resume for
    /// accounts in use. Other accounts are only blocked or wiped.
    func asks(_ account: Account, _ run: LaunchRun) throws(MAMError) -> Bool {
        guard run.isLaunch else { return true }
        return identities.accountsInUse(try current()).contains(account.row.id)
    }
}
