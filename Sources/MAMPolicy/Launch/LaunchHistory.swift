import MAMSupport

/// What launches of an app remember of an account from one to the next.
public struct LaunchHistory: Sendable, Equatable {
    /// How long it has been without a check-in.
    public var offline: OfflineTimer?
    /// Whether the period after which a wipe is enforced had passed before the latest check-in: then the person signs in once.
    public var mustSignIn = false
    /// The warnings that were told: each is told once, and again when something in it changes or after it was gone.
    public private(set) var told: [String] = []

    /// What closes the account in every session of the app beside its record: what the latest launch found of the time without
    /// a check-in, until the authority answers or a launch finds otherwise; of an account that has left, what closed it then.
    public private(set) var closing: [LaunchReport.Finding] = []

    /// As many warnings as any policy can come to.
    private static let mostTold = 64

    /// Nothing is remembered.
    public init() {}

    /// From what the state kept.
    public init(json: JSON) {
        offline = OfflineTimer(json: json["offline"])
        mustSignIn = json["mustSignIn"]?.bool ?? false
        told = (json["told"]?.array ?? []).compactMap(\.string)
        closing = (json["closing"]?.array ?? []).compactMap(LaunchReport.Finding.init)
    }

    /// As the state keeps it.
    public var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("offline", offline?.json ?? .null), ("mustSignIn", .bool(mustSignIn)), ("told", .strings(told)),
        ]
        if !closing.isEmpty { members.append(("closing", .array(closing.map(\.json)))) }
        return .object(members)
    }

    /// The timer of the latest check-in, whether or not it was kept with it; nil before the first.
    public func timer(since lastCheckIn: Instant?) -> OfflineTimer? {
        guard let lastCheckIn else { return nil }
        if let offline, offline.checkIn.time == lastCheckIn { return offline }
        return OfflineTimer(checkIn: ClockReading(time: lastCheckIn, sinceBoot: .seconds(0), boot: ""))
    }

    /// The authority has answered.
    public mutating func noteCheckIn(_ now: ClockReading, wasOverdue: Bool) {
        offline = OfflineTimer(checkIn: now)
        closing = []
        if wasOverdue { mustSignIn = true }
    }

    /// A launch has looked at the time without a check-in.
    public mutating func noteOverdue(_ findings: [LaunchReport.Finding]) {
        closing = findings.filter { $0.known?.isOffline ?? false }
    }

    /// The account leaves: what closes it now goes on to.
    public mutating func keepClosed(_ findings: [LaunchReport.Finding]) { closing = findings }

    /// The findings with those marked that were told before.
    public func dismissing(_ findings: [LaunchReport.Finding]) -> [LaunchReport.Finding] {
        findings.map { finding in
            var finding = finding
            finding.isDismissed = finding.action == .warn && told.contains(finding.subject)
            return finding
        }
    }

    /// These were found: what of them warns is told from now on, what was told and is gone is forgotten.
    public mutating func tell(_ findings: [LaunchReport.Finding]) {
        told = Array(findings.filter { $0.action == .warn }.map(\.subject).prefix(LaunchHistory.mostTold))
    }
}
