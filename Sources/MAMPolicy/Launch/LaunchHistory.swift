import MAMSupport

/// The state of an account that persists between launches of an app.
public struct LaunchHistory: Sendable, Equatable {
    /// The timer of the time without a check-in.
    public var offline: OfflineTimer?
    /// The longest time without a check-in that passed a wipe period since the person last signed in; nil for none. The person
    /// must sign in once, unless the policy in force has a longer period.
    public var overdue: TimeSpan?
    /// The warnings that were shown. A warning is shown once, and again if it changes or returns.
    public private(set) var shownWarnings: [String] = []

    /// The findings that close the account in every session of the app. They are the offline findings of the latest launch,
    /// until the authority answers or a launch finds otherwise; for an account that has left, the findings that closed it at
    /// that time.
    public private(set) var closing: [LaunchReport.Finding] = []

    /// The maximum number of warnings: no policy causes more.
    private static let maximumShown = 64

    /// Creates an empty history.
    public init() {}

    /// Parses the stored form.
    public init(json: JSON) {
        offline = OfflineTimer(json: json["offline"])
        overdue = json["overdue"]?.integer.map(TimeSpan.init(milliseconds:))
        // Older states say only that a period had passed.
        if overdue == nil, json["mustSignIn"]?.bool ?? false { overdue = .longest }
        shownWarnings = (json["told"]?.array ?? []).compactMap(\.string)
        closing = (json["closing"]?.array ?? []).compactMap(LaunchReport.Finding.init)
    }

    /// The stored form.
    public var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("offline", offline?.json ?? .null), ("overdue", overdue.map { .integer($0.milliseconds) } ?? .null),
            ("told", .strings(shownWarnings)),
        ]
        if !closing.isEmpty { members.append(("closing", .array(closing.map(\.stored)))) }
        return .object(members)
    }

    /// Returns the timer of the latest check-in, or a new one if none is stored for it; nil before the first check-in.
    public func timer(since lastCheckIn: Instant?) -> OfflineTimer? {
        guard let lastCheckIn else { return nil }
        if let offline, offline.checkIn.time == lastCheckIn { return offline }
        return OfflineTimer(checkIn: ClockReading(time: lastCheckIn, sinceBoot: .seconds(0), boot: ""))
    }

    /// Records a check-in; `told` is its time by the authority's clock, `overdue` the longest time without one that passed a
    /// wipe period.
    public mutating func recordCheckIn(_ now: ClockReading, byAuthority told: Instant?, overdue: TimeSpan?) {
        offline = OfflineTimer(checkIn: now, byAuthority: told)
        closing = []
        self.overdue = overdue
    }

    /// Records the offline findings of a launch.
    public mutating func recordOverdue(_ findings: [LaunchReport.Finding]) {
        closing = findings.filter { $0.known?.isOffline ?? false }
    }

    /// Keeps the account closed by these findings after it has left.
    public mutating func keepClosed(_ findings: [LaunchReport.Finding]) { closing = findings }

    /// Returns the findings, with warnings that were shown before marked as dismissed.
    public func dismissing(_ findings: [LaunchReport.Finding]) -> [LaunchReport.Finding] {
        findings.map { finding in
            var finding = finding
            finding.isDismissed = finding.action == .warn && shownWarnings.contains(finding.subject)
            return finding
        }
    }

    /// Records the warnings among these findings as shown, and forgets all others.
    public mutating func markShown(_ findings: [LaunchReport.Finding]) {
        shownWarnings = Array(findings.filter { $0.action == .warn }.map(\.subject).prefix(LaunchHistory.maximumShown))
    }
}
