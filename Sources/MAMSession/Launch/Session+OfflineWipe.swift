import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The timers of accounts without a check-in. The time alone only blocks: the authority's refusal after it wipes.
extension Session {
    /// A check-in was answered: the timer begins anew.
    func noteCheckIn(_ record: inout AccountRecord, of account: Account) {
        var history = LaunchHistory(json: record.launch)
        let now = reading
        let elapsed = history.timer(since: record.lastCheckIn)?.elapsed(at: now)
        history.noteCheckIn(now, wasOverdue: account.policy?.isOverdue(after: elapsed ?? .seconds(0)) ?? false)
        record.launch = history.json
    }

    /// Keep how long accounts have been without a check-in, so that a clock that is set back gains nothing.
    func noteOffline(_ accounts: [Account]) throws(MAMError) {
        let now = reading
        for account in accounts where account.record.lastCheckIn != nil {
            let changed = try changeHistory(of: account) { history, record in
                guard var timer = history.timer(since: record.lastCheckIn) else { return }
                timer.note(now)
                history.offline = timer
            }
            if let changed { noteRecord(changed) }
        }
    }

    /// Change what launches remember of an account; nil where it has gone.
    func changeHistory(
        of account: Account, _ body: (inout LaunchHistory, AccountRecord) -> Void
    ) throws(MAMError) -> AccountRow? {
        do throws(MAMError) {
            return try state.write(isCounted: true) { (view) throws(MAMError) in try Session.change(account, view, body)
            }
        } catch {
            guard error.code == .notRegistered else { throw error }
            return nil
        }
    }

    /// The same where other sessions answer by it: they load the state anew.
    func publishHistory(
        of account: Account, _ body: (inout LaunchHistory, AccountRecord) -> Void
    ) throws(MAMError) {
        do throws(MAMError) {
            try state.publish { (view) throws(MAMError) in _ = try Session.change(account, view, body) }
        } catch {
            guard error.code == .notRegistered else { throw error }
        }
        try reload()
    }

    private static func change(
        _ account: Account, _ view: StateView, _ body: (inout LaunchHistory, AccountRecord) -> Void
    ) throws(MAMError) -> AccountRow {
        try view.accounts.change(account.row) { record in
            var history = LaunchHistory(json: record.launch)
            body(&history, record)
            record.launch = history.json
        }
    }

    /// Why such a wipe was promised.
    static let offlineReason = "offline"

    /// The authority refuses an account whose wipe period has passed by a clock that stands right: wipe it. nil where it has not.
    func wipeRefused(_ account: Account, _ code: StatusCode, _ message: String) throws(MAMError) -> EnrollmentStatus? {
        let history = LaunchHistory(json: account.record.launch)
        guard let passed = history.timer(since: account.record.lastCheckIn)?.certain(at: reading),
            account.policy?.refusalWipe(after: passed) != nil
        else { return nil }
        let status = status(code, of: account, message: message)
        emit("policyRequest", status)
        log.write(.warning, "account \(account.row.id.hex) was refused after its wipe period; it is wiped")
        return begun(status) { () throws(MAMError) in
            try wipe(account, Tombstone(reason: Session.offlineReason, wipe: nil))
        }
    }
}

extension AuthorityFailure {
    /// Whether the authority has said no to the account itself. An enrollment that it only forgot (220) is none: it is asked
    /// for another one first.
    var isRefusal: Bool { isUserRefused || code == .reEnrollForUnenrolledUser || code == .deviceBlockedEnrollment }
}
