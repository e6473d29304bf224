import CPlatform

/// Where the time comes from; tests pass their own.
public struct Clock: Sendable {
    /// The time of day.
    public let now: @Sendable () -> Instant
    /// Milliseconds since boot, sleep included: never set by anyone.
    public let sinceBoot: @Sendable () -> TimeSpan

    /// A clock made of two readings.
    public init(now: @escaping @Sendable () -> Instant, sinceBoot: @escaping @Sendable () -> TimeSpan) {
        self.now = now
        self.sinceBoot = sinceBoot
    }

    /// The computer's clocks.
    public static let system = Clock(
        now: { Instant(milliseconds: platform_time_of_day()) },
        sinceBoot: { TimeSpan(milliseconds: platform_time_since_boot()) })
}
