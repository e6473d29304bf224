import MAMSupport

/// The authentications of a person for an account, shared by the apps of a group. They remain valid until the account has not
/// been used for the period of periodOnlineBeforeAccessCheck.
public struct AccessRecord: Sendable, Equatable {
    /// A way to authenticate.
    public enum Method: String, Sendable, CaseIterable { case credentials, pin, biometrics }

    /// The time at which an app of the group was last used for the account.
    public private(set) var active: ClockReading
    /// The methods that are valid.
    public private(set) var methods: [Method] = []
    /// The time at which the PIN itself was last entered. It limits how long biometrics may replace the PIN.
    public private(set) var pinEntered: ClockReading?

    /// Creates a record without authentications.
    public init(active: ClockReading) { self.active = active }

    /// Returns whether the authentications have expired. A time of day before the latest use counts as expired.
    public func hasExpired(after period: TimeSpan, at now: ClockReading) -> Bool {
        AccessRecord.hasPassed(period, since: active, at: now)
    }

    /// Returns whether biometrics may no longer replace the PIN, which includes a PIN that was never entered.
    public func requiresPIN(after timeout: TimeSpan, at now: ClockReading) -> Bool {
        pinEntered.map { AccessRecord.hasPassed(timeout, since: $0, at: now) } ?? true
    }

    /// Returns whether a method was used and is still valid.
    public func has(_ method: Method, within period: TimeSpan, at now: ClockReading) -> Bool {
        methods.contains(method) && !hasExpired(after: period, at: now)
    }

    /// Limits `validity` to the time at which the clocks change what is valid.
    public func limit(_ validity: inout FindingsValidity, after period: TimeSpan, at now: ClockReading) {
        now.limit(&validity, since: active)
        validity.end(at: period, from: now.passed(since: active))
    }

    /// Records use of the account, after dropping expired authentications.
    public mutating func use(within period: TimeSpan, at now: ClockReading) {
        if hasExpired(after: period, at: now) { methods = [] }
        active = now
    }

    /// Records an authentication.
    public mutating func record(_ method: Method, within period: TimeSpan, at now: ClockReading) {
        use(within: period, at: now)
        if !methods.contains(method) { methods.append(method) }
        if method == .pin { pinEntered = now }
    }

    private static func hasPassed(_ period: TimeSpan, since start: ClockReading, at now: ClockReading) -> Bool {
        now.passed(since: start) >= period
    }

    /// The stored form.
    public var json: JSON {
        [
            "active": active.json, "proofs": .strings(methods.map(\.rawValue)), "pinShown": pinEntered?.json ?? .null,
        ]
    }

    /// Parses the stored form; nil if it is malformed.
    public init?(json: JSON?) {
        guard let active = ClockReading(json: json?["active"]) else { return nil }
        self.active = active
        let names = json?["proofs"]?.array?.compactMap(\.string) ?? []
        methods = Method.allCases.filter { names.contains($0.rawValue) }
        pinEntered = ClockReading(json: json?["pinShown"])
    }
}
