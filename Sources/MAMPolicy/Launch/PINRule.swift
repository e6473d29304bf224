import MAMSupport

/// What policies ask of an account's PIN. Pure: docs/pin.md, semantics.md 4.1 and 5.4.
public struct PINRule: Sendable, Equatable {
    /// What a PIN is made of.
    public enum Kind: Int, Sendable {
        /// Digits are enough.
        case numeric
        /// A letter or a special character has to be in it.
        case passcode

        /// The name in JSON.
        public var name: String { self == .numeric ? "numeric" : "passcode" }
    }

    /// What follows when the attempts are used up.
    public enum AtLimit: Sendable {
        /// The person signs in and chooses a new PIN.
        case reset
        /// The account is wiped in the app that saw it.
        case wipe

        /// The name in JSON.
        public var name: String { self == .reset ? "reset" : "wipe" }
    }

    /// pinCharacterSet.
    public var kind = Kind.numeric
    /// minimumPinLength, in characters.
    public var minimumLength = 4
    /// simplePinBlocked.
    public var isSimpleBlocked = false
    /// maximumPinRetries: how many attempts there are after a right one.
    public var attempts = 5
    /// After how many the account is wiped, where appActionIfMaximumPinRetriesExceeded of some policy says so; nil: never.
    public var wipeAfter: Int?
    /// periodBeforePinReset: how long a PIN is good; nil for ever.
    public var period: TimeSpan?
    /// previousPinBlockCount: how many PINs, the current one first, may not be chosen again.
    public var previousBlocked = 0

    /// As many PINs as a policy can forbid.
    public static let longestHistory = 24

    /// What a policy asks for that requires a PIN and says no more.
    init() {}

    /// What follows the last attempt. Another policy's wipe that comes later is not drawn forward.
    public var atLimit: AtLimit { wipeAfter.map { $0 <= attempts } ?? false ? .wipe : .reset }

    /// The stricter of two, member by member: commutative, associative, idempotent. An action stays with the attempts of its own
    /// policy.
    static func stricter(_ a: PINRule, _ b: PINRule) -> PINRule {
        var rule = PINRule()
        rule.kind = a.kind.rawValue >= b.kind.rawValue ? a.kind : b.kind
        rule.minimumLength = max(a.minimumLength, b.minimumLength)
        rule.isSimpleBlocked = a.isSimpleBlocked || b.isSimpleBlocked
        rule.attempts = min(a.attempts, b.attempts)
        rule.wipeAfter = [a.wipeAfter, b.wipeAfter].compactMap { $0 }.min()
        rule.period = [a.period, b.period].compactMap { $0 }.min()
        rule.previousBlocked = max(a.previousBlocked, b.previousBlocked)
        return rule
    }

    /// The members that a PIN itself has to meet, as the `pin` question and `mam_pin_status` show them.
    public var json: JSON {
        [
            "kind": .string(kind.name), "minimumLength": .integer(Int64(minimumLength)),
            "simpleBlocked": .bool(isSimpleBlocked), "previousBlocked": .integer(Int64(previousBlocked)),
        ]
    }
}

extension PINRule {
    /// What one policy asks for; nil where it requires no PIN.
    init?(_ part: EffectivePolicy.Part) {
        let settings = part.settings
        guard settings.isTrue(.pinRequired) else { return nil }
        self.init()
        func number(_ name: String) -> Int? {
            settings.value(of: name)?.integer.flatMap(Int.init(exactly:)).map { min(max($0, 0), 65_535) }
        }
        if settings.value(of: "pinCharacterSet").map({ $0 != "numeric" }) ?? false { kind = .passcode }
        minimumLength = max(1, number("minimumPinLength") ?? minimumLength)
        isSimpleBlocked = settings.value(of: "simplePinBlocked") == true
        attempts = max(1, number("maximumPinRetries") ?? attempts)
        // What was not understood counts as its most restrictive value, but nothing is removed for it.
        let certain = [LaunchSetting.pinAction, "maximumPinRetries", "pinRequired"]
        let isWipe = settings.value(of: LaunchSetting.pinAction) == "wipe"
        if isWipe, !certain.contains(where: part.isMisread) { wipeAfter = attempts }
        if let span = settings.value(of: "periodBeforePinReset")?.string.flatMap(TimeSpan.init(iso8601:)),
            span != .seconds(0)
        {
            period = span
        }
        previousBlocked = min(number("previousPinBlockCount") ?? previousBlocked, PINRule.longestHistory)
    }
}

extension EffectivePolicy {
    /// What its policies that require a PIN ask of it together; nil where none does. Lock-down asks for a PIN that nobody can
    /// have: see ``isLockDown``.
    public var pinRule: PINRule? {
        parts.compactMap { PINRule($0) }.reduce(nil) { strictest, rule in
            strictest.map { .stricter($0, rule) } ?? rule
        }
    }
}
