import MAMSupport

/// What is known of an account's PIN without knowing it.
public struct PINFacts: Sendable {
    /// When it was set; nil where none is.
    public var setAt: Instant?
    /// The latest time at which it was set or entered.
    public var latest: Instant?
    /// How often somebody has tried since it was last right.
    public var failures: Int
    /// The rule that it was last looked at with, and whether it fell short of that.
    public var judged: (rule: JSON, isWeak: Bool)?

    /// Facts.
    public init(setAt: Instant?, latest: Instant?, failures: Int, judged: (rule: JSON, isWeak: Bool)?) {
        self.setAt = setAt
        self.latest = latest
        self.failures = failures
        self.judged = judged
    }

    /// No PIN was ever set.
    public static let none = PINFacts(setAt: nil, latest: nil, failures: 0, judged: nil)
}

/// How an account stands with its PIN.
public struct PINStanding: Sendable, Equatable {
    /// The one thing that counts next.
    public enum State: String, Sendable {
        /// Nobody asks for one.
        case notRequired
        /// One has to be chosen.
        case notSet
        /// It is there to be entered.
        case set
        /// It has to be changed after it is entered: its time is over.
        case expired
        /// It has to be changed after it is entered: the policy asks for more since.
        case tooWeak
        /// Every attempt is used up: the person has to sign in.
        case exhausted
    }

    /// Where it stands.
    public let state: State
    /// How many attempts are left; nil where there is no PIN, or no rule for one.
    public let attemptsLeft: Int?
    /// When it has to be changed; nil for never, and where there is none.
    public let expires: Instant?

    /// A PIN set further ahead than this was set before the clock was set back.
    private static let tolerance = TimeSpan.hours(25)

    /// By rule (nil: no policy has one), facts and clock. A clock set back does not make a PIN last: the latest time at which
    /// it was entered counts.
    public init(_ rule: PINRule?, isRequired: Bool, _ facts: PINFacts, now: Instant) {
        guard let rule, let setAt = facts.setAt else {
            state = isRequired ? .notSet : .notRequired
            (attemptsLeft, expires) = (nil, nil)
            return
        }
        let left = max(0, rule.attempts - max(0, facts.failures))
        let end = rule.period.map { setAt + $0 }
        attemptsLeft = left
        expires = end
        let latest = max(now, facts.latest ?? now)
        if !isRequired {
            state = .notRequired
        } else if left == 0 {
            state = .exhausted
        } else if let end, latest >= end || setAt > now + PINStanding.tolerance {
            state = .expired
        } else if let judged = facts.judged, judged.isWeak, judged.rule == rule.json {
            state = .tooWeak
        } else {
            state = .set
        }
    }

    /// When it changes with the clocks.
    public static func end(_ validity: inout LaunchValidity, _ rule: PINRule, _ facts: PINFacts, now: Instant) {
        guard let setAt = facts.setAt else { return }
        if let period = rule.period { validity.end(at: setAt + period, from: now) }
        validity.end(at: setAt, from: now + tolerance)
    }

    /// Whether the PIN, once entered, lets its account be used.
    public var opens: Bool { state == .set || state == .notRequired }
}
