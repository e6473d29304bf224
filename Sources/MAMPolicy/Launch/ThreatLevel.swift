/// How threatened a device is, as a threat-defence program says; the host reports it. Ordered: less is safer.
public enum ThreatLevel: String, Sendable, CaseIterable, Comparable {
    case secured, low, medium, high

    /// Whether one is safer.
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
