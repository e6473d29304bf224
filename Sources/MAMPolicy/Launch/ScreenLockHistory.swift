import MAMSupport

/// Whether the screen is locked: `MAM_SCREEN_…` of mam.h.
public enum ScreenState: Int32, Sendable {
    case unknown, unlocked, locked

    /// The name in JSON.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .unlocked: "unlocked"
        case .locked: "locked"
        }
    }
}

/// The knowledge of the screen from readings of its state, which have no time of their own.
///
/// Nobody says when the screen was locked, so that its last unlocked reading counts as that time; one that was never read unlocked
/// was locked before. An unknown state changes nothing: while no reading was locked nothing is closed, as for the device lock, and
/// what is closed stays closed when logind ceases to answer.
public struct ScreenLockHistory: Sendable {
    /// How long data can be read after the screen was locked.
    public static let grace = TimeSpan.seconds(10)

    /// The time since boot at which data closes; nil while the screen is not locked.
    public private(set) var closesAt: TimeSpan?
    /// The latest reading.
    public private(set) var latest = ScreenState.unknown
    private var lastUnlocked: TimeSpan?

    /// Creates the history before the first reading.
    public init() {}

    /// Adds a reading at a time since boot.
    public mutating func add(_ state: ScreenState, at now: TimeSpan) {
        latest = state
        switch state {
        case .unknown: break
        case .unlocked: (lastUnlocked, closesAt) = (now, nil)
        case .locked: closesAt = closesAt ?? lastUnlocked.map { $0.plus(ScreenLockHistory.grace) } ?? now
        }
    }
}

/// A host's report of the screen with `mam_report_screen_lock`. It counts in place of readings until the next report or a reboot.
public struct ReportedScreen: Sendable, Equatable {
    /// Whether the screen was locked, else it was unlocked.
    public let isLocked: Bool
    /// The time of the report.
    public let at: ClockReading

    /// Creates a report.
    public init(isLocked: Bool, at: ClockReading) { (self.isLocked, self.at) = (isLocked, at) }

    /// Returns whether it still counts.
    public func holds(at now: ClockReading) -> Bool { now.isOfSameBoot(as: at) }

    /// The time since boot at which data closes; nil where the screen is not locked.
    public var closesAt: TimeSpan? { isLocked ? at.sinceBoot.plus(ScreenLockHistory.grace) : nil }

    /// The stored form.
    public var json: JSON { ["locked": .bool(isLocked), "at": at.json] }

    /// Parses the stored form; nil if it is malformed.
    public init?(json: JSON) {
        guard let isLocked = json["locked"]?.bool, let at = ClockReading(json: json["at"]) else { return nil }
        self.init(isLocked: isLocked, at: at)
    }
}
