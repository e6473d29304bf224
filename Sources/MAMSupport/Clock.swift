import CPlatform

/// Where the time comes from; tests pass their own.
public struct Clock: Sendable {
    /// The time of day.
    public let now: @Sendable () -> Instant
    /// Milliseconds since boot, sleep included: never set by anyone.
    public let sinceBoot: @Sendable () -> TimeSpan
    /// Another number some milliseconds later, sleep not counted: sooner to be had than a time.
    public let tick: @Sendable () -> Int64

    /// Which boot that is; "" where nobody knows.
    public let boot: @Sendable () -> String

    /// A clock made of readings.
    public init(
        now: @escaping @Sendable () -> Instant, sinceBoot: @escaping @Sendable () -> TimeSpan,
        tick: (@Sendable () -> Int64)? = nil, boot: @escaping @Sendable () -> String = { "" }
    ) {
        self.now = now
        self.sinceBoot = sinceBoot
        self.tick = tick ?? { sinceBoot().milliseconds }
        self.boot = boot
    }

    /// The computer's clocks.
    public static let system = Clock(
        now: { Instant(milliseconds: platform_time_of_day()) },
        sinceBoot: { TimeSpan(milliseconds: platform_time_since_boot()) }, tick: { platform_time_coarse() },
        boot: { thisBoot })

    private static let thisBoot: String = {
        var text = [CChar](repeating: 0, count: 37)
        platform_boot(&text)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()
}
