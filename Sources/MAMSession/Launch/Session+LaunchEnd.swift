import MAMPolicy
import MAMState
import MAMSupport

/// How a launch, resume or switch ends: what was found closes accounts or opens them, and is remembered.
extension Session {
    /// Whether a run asks a person for what an account's policies want to be shown, and warns: at a switch, and at a launch or
    /// resume for accounts in use. The others are judged by what blocks and what wipes alone.
    func asks(_ account: Account, _ run: LaunchRun) throws(MAMError) -> Bool {
        guard run.isLaunch else { return true }
        return accountsInUse(try current()).contains(account.row.id)
    }

    /// Close and open accounts by what was found, and remember what was reported. The result is the part of the report that
    /// is about accounts.
    func conclude(_ launched: [LaunchedAccount], _ run: LaunchRun) throws(MAMError) -> LaunchReport.Account {
        var report = LaunchReport.Account(findings: run.wiped)
        var guards: [AccountRowID: SessionFindings] = [:]
        var inUse: [LaunchedAccount] = []
        for one in launched {
            let isAsked = try asks(one.account, run)
            if isAsked { inUse.append(one) }
            guards[one.account.row.id] = SessionFindings(
                findings: closing(one, isAsked: isAsked), lastCheckIn: one.account.record.lastCheckIn)
            let counting = one.found.reported(isInUse: isAsked)
            let history = LaunchHistory(json: one.account.record.launch)
            report.findings += history.dismissing(counting).filter { !$0.isDismissed }.map {
                $0.about(one.account.named)
            }
            report.notApplicable += one.found.notApplicable.map { $0.about(one.account.named) }
        }
        // Closed first: where the rest cannot be written, the accounts are closed all the same.
        try setGuards(guards)
        // A switch ends without a report: its warnings are reported by the launch or resume that follows.
        for one in launched {
            try noteFound(one, isWarned: run.isLaunch && inUse.contains { $0.account === one.account })
        }
        let open = inUse.map(\.account).filter { guards[$0.row.id]?.findings.isEmpty ?? true }
        try noteActive(open)
        return report
    }

    /// What closes an account in this session, beside what is known of the account itself. Of one that was not asked, what it
    /// was asked for before and has not shown since stays; nothing arises from not having been asked.
    private func closing(_ one: LaunchedAccount, isAsked: Bool) -> [LaunchReport.Finding] {
        let found = one.found.findings
        let known = one.account.ownFindings.map(\.check)
        let blocks = found.filter { $0.action == .block && !known.contains($0.check) }
        let prompts = found.filter { $0.action == .prompt }
        guard !isAsked else { return blocks + prompts }
        let before = lock.held { guards[one.account.row.id]?.findings ?? [] }.filter { $0.action == .prompt }
        return blocks + before.filter { former in prompts.contains { $0.check == former.check } }
    }

    /// Remember what launches need of an account: how long it has been offline, whether that closes it, which warnings were
    /// reported.
    private func noteFound(_ one: LaunchedAccount, isWarned: Bool) throws(MAMError) {
        let now = reading
        func note(_ history: inout LaunchHistory, _ record: AccountRecord) {
            if var timer = history.timer(since: record.lastCheckIn), record.lastCheckIn != nil {
                timer.note(now)
                history.offline = timer
            }
            // Of an account whose data stays closed nobody looked at the time. An answer that came meanwhile has ended what was
            // found before it.
            let isLooked = one.account.problem == nil && one.account.policy?.isLockDown != true
            if isLooked, record.lastCheckIn == one.account.record.lastCheckIn {
                history.noteOverdue(one.found.findings)
            }
            // The app hears again what an extension heard.
            if isWarned, !settings.isExtension { history.tell(one.found.findings) }
        }
        let before = LaunchHistory(json: one.account.record.launch)
        var after = before
        note(&after, one.account.record)
        guard after != before else { return }
        // Other sessions look at the state anew where it closes or opens the account for them.
        guard after.closing.map(\.check) != before.closing.map(\.check) else {
            if let row = try changeHistory(of: one.account, note) { noteRecord(row) }
            return
        }
        try publishHistory(of: one.account, note)
    }
}
