import CProcess

/// The source of time. Tests provide their own.
public struct Clock: Sendable {
    /// The wall-clock time.
    public let now: @Sendable () -> Instant
    /// Milliseconds since boot, including suspend. Nobody can set this clock.
    public let sinceBoot: @Sendable () -> TimeSpan
    /// A coarse monotonic value in milliseconds, without suspend; cheaper to read than the time.
    public let tick: @Sendable () -> Int64

    /// The boot id; empty where it is unknown.
    public let boot: @Sendable () -> String

    /// A clock that reads the time from closures.
    public init(
        now: @escaping @Sendable () -> Instant, sinceBoot: @escaping @Sendable () -> TimeSpan,
        tick: (@Sendable () -> Int64)? = nil, boot: @escaping @Sendable () -> String = { "" }
    ) {
        self.now = now
        self.sinceBoot = sinceBoot
        self.tick = tick ?? { sinceBoot().milliseconds }
        self.boot = boot
    }

    /// The system's clocks.
    public static let system = Clock(
        now: { Instant(milliseconds: process_clock_realtime_ms()) },
        sinceBoot: { TimeSpan(milliseconds: process_clock_boottime_ms()) },
        tick: { process_clock_monotonic_coarse_ms() },
        boot: { thisBoot })

    private static let thisBoot: String = {
        var text = [CChar](repeating: 0, count: 37)
        process_boot_id(&text)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()
}
