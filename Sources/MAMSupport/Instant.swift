/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
public struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since the epoch.
    public let milliseconds: Int64

    /// A point in time.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whether one point is earlier.
    public static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }

    /// Returns a later point, saturating instead of trapping.
    public static func + (a: Instant, b: TimeSpan) -> Instant {
        let (sum, overflow) = a.milliseconds.addingReportingOverflow(b.milliseconds)
        return Instant(milliseconds: overflow ? (b.milliseconds > 0 ? .max : .min) : sum)
    }

    /// Returns the time between two points, saturating.
    public static func - (a: Instant, b: Instant) -> TimeSpan {
        let (difference, overflow) = a.milliseconds.subtractingReportingOverflow(b.milliseconds)
        return TimeSpan(milliseconds: overflow ? (a > b ? .max : .min) : difference)
    }
}

/// A length of time in milliseconds. Swift's `Duration` has no equivalent in mam.h.
public struct TimeSpan: Hashable, Comparable, Sendable {
    /// Milliseconds; may be negative.
    public let milliseconds: Int64

    /// A number of milliseconds.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// The longest length of time.
    public static let longest = TimeSpan(milliseconds: .max)
    /// A number of seconds.
    public static func seconds(_ n: Int64) -> TimeSpan { TimeSpan(milliseconds: saturating(n, times: 1000)) }
    /// A number of minutes.
    public static func minutes(_ n: Int64) -> TimeSpan { TimeSpan(milliseconds: saturating(n, times: 60_000)) }
    /// A number of hours.
    public static func hours(_ n: Int64) -> TimeSpan { TimeSpan(milliseconds: saturating(n, times: 3_600_000)) }
    /// A number of days.
    public static func days(_ n: Int64) -> TimeSpan { TimeSpan(milliseconds: saturating(n, times: 86_400_000)) }

    /// Whether one length is shorter.
    public static func < (a: TimeSpan, b: TimeSpan) -> Bool { a.milliseconds < b.milliseconds }

    private static func saturating(_ n: Int64, times unit: Int64) -> Int64 {
        let (product, overflow) = n.multipliedReportingOverflow(by: unit)
        return overflow ? (n > 0 ? .max : .min) : product
    }
}
