import MAMPolicy
import MAMState
import MAMSupport

/// An account's PIN as it stands at one moment: what the policy asks, what the state knows.
struct PINSituation {
    let account: Account
    let rule: PINRule
    let isRequired: Bool
    let subject: PINSubject
    /// What the state keeps; nil where no PIN was ever set.
    let record: PINRecord?
    let standing: PINStanding

    init(
        _ account: Account, rule: PINRule, isRequired: Bool, subject: PINSubject, record: PINRecord?, now: Instant
    ) {
        self.account = account
        self.rule = rule
        self.isRequired = isRequired
        self.subject = subject
        self.record = record
        standing = PINStanding(rule, isRequired: isRequired, record.map(PINFacts.init) ?? .none, now: now)
    }

    /// When ``standing`` changes with the clocks.
    func end(_ validity: inout LaunchValidity, now: Instant) {
        PINStanding.end(&validity, rule, record.map(PINFacts.init) ?? .none, now: now)
    }
}

extension PINFacts {
    init(_ record: PINRecord) {
        self.init(
            setAt: record.setAt, latest: record.latest, failures: Int(clamping: record.failures), judged: record.judged)
    }
}

/// What trying a PIN came to.
enum PINAttempt {
    /// Right; the rule that it does not meet any more makes it one to be changed.
    case right(PINStanding)
    /// Wrong, with so many attempts left.
    case wrong(left: Int)
    /// Nothing was tried: no attempt was left.
    case exhausted
    /// There is no PIN to try.
    case notSet
}
