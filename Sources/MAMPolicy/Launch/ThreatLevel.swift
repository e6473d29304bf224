/// The threat level of a device according to a threat defence program, as the host reports it. Lower is safer.
public enum ThreatLevel: String, Sendable, CaseIterable, Comparable {
    case secured, low, medium, high

    /// Compares by severity.
    public static func < (a: ThreatLevel, b: ThreatLevel) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .secured: 0
        case .low: 1
        case .medium: 2
        case .high: 3
        }
    }
}
