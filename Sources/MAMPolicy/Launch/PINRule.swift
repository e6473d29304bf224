import MAMSupport

/// The rule for an account's PIN, checked by `violations(in:isNew:)`; expiry in `PINStatus`, history in `PINs+Attempts`;
/// docs/pin.md.
public struct PINRule: Sendable, Equatable {
    /// The character set of a PIN.
    public enum Kind: Int, Sendable {
        /// Digits are sufficient.
        case numeric
        /// A letter or special character is required.
        case passcode

        /// The name in JSON.
        public var name: String { self == .numeric ? "numeric" : "passcode" }
    }

    /// The action when the attempts are used up.
    public enum RetryLimitAction: Sendable {
        /// The person signs in and sets another PIN.
        case reset
        /// The account is wiped in the app.
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
    /// maximumPinRetries: the number of attempts in a row.
    public var maximumAttempts = 5
    /// The number of attempts after which appActionIfMaximumPinRetriesExceeded of some policy wipes the account; nil for never.
    public var wipeAfter: Int?
    /// periodBeforePinReset: the time after which a PIN expires; nil for never.
    public var period: TimeSpan?
    /// previousPinBlockCount: the number of latest PINs, including the current one, that may not be chosen again.
    public var previousBlocked = 0

    /// The maximum of ``previousBlocked``.
    public static let maximumHistoryLength = 24

    /// Creates the rule of a policy that requires a PIN and sets nothing else.
    init() {}

    /// The action after the last attempt. A wipe that another policy sets for a later attempt does not happen earlier.
    public var retryLimitAction: RetryLimitAction { wipeAfter.map { $0 <= maximumAttempts } ?? false ? .wipe : .reset }

    /// Returns the stricter of two rules, member by member; commutative, associative and idempotent. A wipe stays with the
    /// attempts of its own policy.
    static func stricter(_ a: PINRule, _ b: PINRule) -> PINRule {
        var rule = PINRule()
        rule.kind = a.kind.rawValue >= b.kind.rawValue ? a.kind : b.kind
        rule.minimumLength = max(a.minimumLength, b.minimumLength)
        rule.isSimpleBlocked = a.isSimpleBlocked || b.isSimpleBlocked
        rule.maximumAttempts = min(a.maximumAttempts, b.maximumAttempts)
        rule.wipeAfter = [a.wipeAfter, b.wipeAfter].compactMap { $0 }.min()
        rule.period = [a.period, b.period].compactMap { $0 }.min()
        rule.previousBlocked = max(a.previousBlocked, b.previousBlocked)
        return rule
    }

    /// The requirements for the PIN itself, in the `pin` question and in the reply of `mam_pin_status`.
    public var json: JSON {
        [
            "kind": .string(kind.name), "minimumLength": .integer(Int64(minimumLength)),
            "simpleBlocked": .bool(isSimpleBlocked), "previousBlocked": .integer(Int64(previousBlocked)),
        ]
    }
}

extension PINRule {
    /// Creates the rule of one policy; nil if it does not require a PIN.
    init?(_ policy: EffectivePolicy.MergedPolicy) {
        let settings = policy.settings
        guard settings.isTrue(.pinRequired) else { return nil }
        self.init()
        func number(_ name: String) -> Int? {
            settings.value(of: name)?.integer.flatMap(Int.init(exactly:)).map { min(max($0, 0), 65_535) }
        }
        if settings.value(of: "pinCharacterSet").map({ $0 != "numeric" }) ?? false { kind = .passcode }
        minimumLength = max(1, number("minimumPinLength") ?? minimumLength)
        isSimpleBlocked = settings.value(of: "simplePinBlocked") == true
        maximumAttempts = max(1, number("maximumPinRetries") ?? maximumAttempts)
        // Values that were not understood are read as the strictest, but never wipe.
        let certain = [LaunchSetting.pinAction, "maximumPinRetries", "pinRequired"]
        let isWipe = settings.value(of: LaunchSetting.pinAction) == "wipe"
        if isWipe, !certain.contains(where: policy.isMisread) { wipeAfter = maximumAttempts }
        if let span = settings.value(of: "periodBeforePinReset")?.string.flatMap(TimeSpan.init(iso8601:)),
            span != .seconds(0)
        {
            period = span
        }
        previousBlocked = min(number("previousPinBlockCount") ?? previousBlocked, PINRule.maximumHistoryLength)
    }
}

extension EffectivePolicy {
    /// The merged rule of the policies that require a PIN; nil if none does. In lock-down a PIN is required although there is
    /// no rule: see ``isLockDown``.
    public var pinRule: PINRule? {
        policies.compactMap { PINRule($0) }.reduce(nil) { strictest, rule in
            strictest.map { .stricter($0, rule) } ?? rule
        }
    }
}
