import MAMPolicy
import MAMState
import MAMSupport

/// The end of a launch, resume or switch: findings close and open accounts, and are recorded.
extension Launches {
    /// Close and open accounts by what a run has found, and record what was reported. Returns the part of the report that is about
    /// accounts.
    func conclude(_ launched: [CheckedAccount], _ run: LaunchRun) throws(MAMError) -> LaunchReport.Account {
        var report = LaunchReport.Account(findings: run.wiped)
        var closing: [AccountRowID: SessionFindings] = [:]
        var inUse: [CheckedAccount] = []
        for one in launched {
            let isAsked = try asks(one.account, run)
            if isAsked { inUse.append(one) }
            closing[one.account.row.id] = SessionFindings(
                findings: closingFindings(of: one, isAsked: isAsked), lastCheckIn: one.account.record.lastCheckIn)
            let counting = one.found.reported(isInUse: isAsked)
            let history = one.account.record.launchHistory
            report.findings += history.dismissing(counting).filter { !$0.isDismissed }.map {
                $0.about(one.account.named)
            }
            report.notApplicable += one.found.notApplicable.map { $0.about(one.account.named) }
        }
        // First, so that accounts are closed even where the rest cannot be written.
        try blocks.set(closing)
        // A switch ends without a report: its warnings are reported by the launch or resume that follows.
        for one in launched {
            try record(one, isWarned: run.isLaunch && inUse.contains { $0.account === one.account })
        }
        let open = inUse.map(\.account).filter { closing[$0.row.id]?.findings.isEmpty ?? true }
        try recordUse(of: open)
        return report
    }

    /// The findings that close an account in this session, except those that already close it in every session. Where the person was
    /// not asked, earlier prompts that are still unresolved remain, and none is added.
    private func closingFindings(of one: CheckedAccount, isAsked: Bool) -> [LaunchReport.Finding] {
        let found = one.found.findings
        let closedEverywhere = one.account.ownFindings.map(\.check)
        let blocking = found.filter { $0.action == .block && !closedEverywhere.contains($0.check) }
        let prompts = found.filter { $0.action == .prompt }
        guard !isAsked else { return blocking + prompts }
        let before = blocks.prompts(of: one.account.row.id)
        return blocking + before.filter { former in prompts.contains { $0.check == former.check } }
    }

    /// Record how long an account has been offline, whether that closes it, and which warnings were reported.
    private func record(_ one: CheckedAccount, isWarned: Bool) throws(MAMError) {
        let now = clock.reading
        func update(_ record: inout AccountRecord) {
            record.recordOffline(at: now)
            // The time was not checked where the account's data stays closed. Where a check-in has ended meanwhile, the findings
            // are out of date. An account that has left stays closed.
            let isChecked =
                one.account.problem == nil && one.account.policy?.isLockDown != true && record.state != .unenrolled
            if isChecked, record.lastCheckIn == one.account.record.lastCheckIn {
                record.launchHistory.recordOverdue(one.found.findings)
            }
            // The app reports warnings that an extension has reported once more.
            if isWarned, !settings.isExtension { record.launchHistory.markShown(one.found.findings) }
        }
        let before = one.account.record.launchHistory
        var changed = one.account.record
        update(&changed)
        let after = changed.launchHistory
        guard after != before else { return }
        // Other sessions load the state again where this closes or opens the account for them.
        guard after.closing.map(\.check) != before.closing.map(\.check) else {
            return try changeRecord(of: one.account, update)
        }
        try commitRecordForAll(of: one.account, update)
    }

    // MARK: Records

    func accessRecords() throws(MAMError) -> AccessRecords {
        try state.read { (view, _) throws(MAMError) in try AccessRecords(view) }
    }

    /// Record that accounts are, or have just been, in use: their inactivity is measured from now on.
    func recordUse(of accounts: [Account]) throws(MAMError) {
        let now = clock.reading
        let managed = accounts.compactMap { account in account.policy.map { (account, $0.recheckPeriod) } }
        guard !managed.isEmpty else { return }
        try state.write(isRollbackProtected: true) { (view) throws(MAMError) in
            var records = try AccessRecords(view)
            for (account, period) in managed { records.use(account, within: period, at: now) }
            try records.store(view)
        }
    }

    /// Record how long accounts have been offline.
    func recordOffline(_ accounts: [Account]) throws(MAMError) {
        let now = clock.reading
        for account in accounts where account.record.lastCheckIn != nil {
            try changeRecord(of: account) { $0.recordOffline(at: now) }
        }
    }

    /// Change an account's record without a new generation; nothing where the account has gone.
    func changeRecord(of account: Account, _ body: (inout AccountRecord) -> Void) throws(MAMError) {
        let row: AccountRow
        do throws(MAMError) {
            row = try state.write(isRollbackProtected: true) { (view) throws(MAMError) in
                try view.accounts.change(account.row) { body(&$0) }
            }
        } catch {
            guard error.code == .notRegistered else { throw error }
            return
        }
        updateRecord(row)
    }

    /// The same with a new generation, so that other sessions load the state again.
    private func commitRecordForAll(of account: Account, _ body: (inout AccountRecord) -> Void) throws(MAMError) {
        do throws(MAMError) {
            try state.commitForAll { (view) throws(MAMError) in _ = try view.accounts.change(account.row) { body(&$0) }
            }
        } catch {
            guard error.code == .notRegistered else { throw error }
        }
        try reload()
    }
}
