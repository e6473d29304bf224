import MAMSupport

/// Facts about an account's PIN.
public struct PINFacts: Sendable {
    /// The time at which the PIN was set; nil without a PIN.
    public var setAt: Instant?
    /// The latest time at which the PIN was set or entered.
    public var latest: Instant?
    /// The number of wrong attempts since the last right one.
    public var failures: Int
    /// The rule that the PIN was last checked against, and whether it was too weak.
    public var lastCheck: (rule: JSON, isWeak: Bool)?

    /// Creates facts.
    public init(setAt: Instant?, latest: Instant?, failures: Int, lastCheck: (rule: JSON, isWeak: Bool)?) {
        self.setAt = setAt
        self.latest = latest
        self.failures = failures
        self.lastCheck = lastCheck
    }

    /// The facts without a PIN.
    public static let none = PINFacts(setAt: nil, latest: nil, failures: 0, lastCheck: nil)
}

/// The status of an account's PIN.
public struct PINStatus: Sendable, Equatable {
    /// The state of the PIN.
    public enum State: String, Sendable {
        /// No PIN is required.
        case notRequired
        /// A PIN must be set.
        case notSet
        /// The PIN can be entered.
        case set
        /// The PIN has expired, and must be changed after it is entered.
        case expired
        /// The PIN no longer meets the policy, and must be changed after it is entered.
        case tooWeak
        /// All attempts are used up; the person must sign in.
        case exhausted
    }

    /// The state.
    public let state: State
    /// The number of attempts left; nil without a PIN or a rule.
    public let attemptsLeft: Int?
    /// The time at which the PIN expires; nil for never, and without a PIN.
    public let expires: Instant?

    /// A PIN that was set further in the future than this was set before the clock was set back.
    private static let tolerance = TimeSpan.hours(25)

    /// Derives the status from the rule (nil if no policy has one), the facts and the clock. Setting the clock back does not
    /// extend a PIN: the latest time at which it was entered counts.
    public init(_ rule: PINRule?, isRequired: Bool, _ facts: PINFacts, now: Instant) {
        guard let rule, let setAt = facts.setAt else {
            state = isRequired ? .notSet : .notRequired
            (attemptsLeft, expires) = (nil, nil)
            return
        }
        let left = max(0, rule.maximumAttempts - max(0, facts.failures))
        let end = rule.period.map { setAt + $0 }
        attemptsLeft = left
        expires = end
        let latest = max(now, facts.latest ?? now)
        if !isRequired {
            state = .notRequired
        } else if left == 0 {
            state = .exhausted
        } else if let end, latest >= end || setAt > now + PINStatus.tolerance {
            state = .expired
        } else if let lastCheck = facts.lastCheck, lastCheck.isWeak, lastCheck.rule == rule.json {
            state = .tooWeak
        } else {
            state = .set
        }
    }

    /// Limits `validity` to the time at which the clocks change the status.
    public static func limit(_ validity: inout FindingsValidity, _ rule: PINRule, _ facts: PINFacts, now: Instant) {
        guard let setAt = facts.setAt else { return }
        if let period = rule.period { validity.end(at: setAt + period, from: now) }
        validity.end(at: setAt, from: now + tolerance)
    }

    /// Whether entering the PIN gives access to the account.
    public var opens: Bool { state == .set || state == .notRequired }
}
