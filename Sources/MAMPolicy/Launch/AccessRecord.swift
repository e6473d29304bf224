import MAMSupport

/// What a person has shown for an account, shared by the apps of a group: it holds until nobody has used it for the period of
/// periodOnlineBeforeAccessCheck.
public struct AccessRecord: Sendable, Equatable {
    /// What a person can show.
    public enum Proof: String, Sendable, CaseIterable { case credentials, pin, biometrics }

    /// When an app of the group was last used for it.
    public private(set) var active: ClockReading
    /// What was shown since.
    public private(set) var proofs: [Proof] = []
    /// When the PIN itself was shown last, for how long biometrics may stand in for it.
    public private(set) var pinShown: ClockReading?

    /// Nothing was shown yet.
    public init(active: ClockReading) { self.active = active }

    /// Whether what was shown holds no longer. A time of day that lies before the latest use shows nothing.
    public func hasRunOut(after period: TimeSpan, at now: ClockReading) -> Bool {
        AccessRecord.hasPassed(period, since: active, at: now)
    }

    /// Whether biometrics may not stand in for the PIN any longer; a PIN that was never shown does not count.
    public func demandsPIN(after timeout: TimeSpan, at now: ClockReading) -> Bool {
        pinShown.map { AccessRecord.hasPassed(timeout, since: $0, at: now) } ?? true
    }

    /// Whether something was shown, and holds.
    public func has(_ proof: Proof, within period: TimeSpan, at now: ClockReading) -> Bool {
        proofs.contains(proof) && !hasRunOut(after: period, at: now)
    }

    /// When what holds, or does not, changes with the clocks.
    public func end(_ validity: inout LaunchValidity, after period: TimeSpan, at now: ClockReading) {
        now.endPassed(&validity, since: active)
        validity.end(at: period, from: now.passed(since: active))
    }

    /// It is in use: what holds goes on to hold, what does not is forgotten.
    public mutating func use(within period: TimeSpan, at now: ClockReading) {
        if hasRunOut(after: period, at: now) { proofs = [] }
        active = now
    }

    /// Something was shown.
    public mutating func note(_ proof: Proof, within period: TimeSpan, at now: ClockReading) {
        use(within: period, at: now)
        if !proofs.contains(proof) { proofs.append(proof) }
        if proof == .pin { pinShown = now }
    }

    private static func hasPassed(_ period: TimeSpan, since start: ClockReading, at now: ClockReading) -> Bool {
        now.passed(since: start) >= period
    }

    /// As the state keeps it.
    public var json: JSON {
        [
            "active": active.json, "proofs": .strings(proofs.map(\.rawValue)), "pinShown": pinShown?.json ?? .null,
        ]
    }

    /// From what the state kept; nil where that is something else.
    public init?(json: JSON?) {
        guard let active = ClockReading(json: json?["active"]) else { return nil }
        self.active = active
        let names = json?["proofs"]?.array?.compactMap(\.string) ?? []
        proofs = Proof.allCases.filter { names.contains($0.rawValue) }
        pinShown = ClockReading(json: json?["pinShown"])
    }
}
