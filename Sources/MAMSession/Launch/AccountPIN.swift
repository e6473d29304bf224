import MAMPolicy
import MAMState
import MAMSupport

/// An account's PIN at one moment: what the policy requires, and what the state has.
struct AccountPIN {
    let account: Account
    let rule: PINRule
    let isRequired: Bool
    let subject: PINSubject
    /// The stored PIN; nil where none was ever set.
    let record: PINRecord?
    let status: PINStatus

    init(
        _ account: Account, rule: PINRule, isRequired: Bool, subject: PINSubject, record: PINRecord?, now: Instant
    ) {
        self.account = account
        self.rule = rule
        self.isRequired = isRequired
        self.subject = subject
        self.record = record
        status = PINStatus(rule, isRequired: isRequired, record.map(PINFacts.init) ?? .none, now: now)
    }

    /// Limit the time for which ``status`` holds.
    func limit(_ validity: inout FindingsValidity, now: Instant) {
        PINStatus.limit(&validity, rule, record.map(PINFacts.init) ?? .none, now: now)
    }
}

extension PINFacts {
    init(_ record: PINRecord) {
        self.init(
            setAt: record.setAt, latest: record.latest, failures: Int(clamping: record.countedAttempts),
            lastCheck: record.lastCheck)
    }
}

/// The outcome of trying a PIN.
enum PINAttempt {
    /// The PIN is right; the status says whether it has to be changed.
    case right(PINStatus)
    /// The PIN is wrong.
    case wrong(left: Int)
    /// Nothing was tried: no attempt was left.
    case exhausted
    /// There is no PIN to try.
    case notSet
}
