import MAMSupport

/// For how long what was found at a look goes on to be what another look would find, as long as nothing but time passes: until a
/// timer runs out, a grace ends, or a message would tell another number.
public struct LaunchValidity: Sendable, Equatable {
    /// For so long by either clock.
    public private(set) var span: TimeSpan

    /// Numbers in messages change once a minute, the least of ``TimeSpan/roughly``.
    static let longest = TimeSpan.minutes(1)

    /// As long as anything can hold.
    public init() { span = LaunchValidity.longest }

    /// It ends as soon as a value that grows no faster than the clocks reaches a bound. One that has reached it ends nothing.
    public mutating func end(at bound: TimeSpan, from value: TimeSpan) {
        let (left, overflow) = bound.milliseconds.subtractingReportingOverflow(value.milliseconds)
        guard !overflow, left > 0 else { return }
        span = min(span, TimeSpan(milliseconds: left))
    }

    /// The same, of the time of day.
    public mutating func end(at bound: Instant, from now: Instant) {
        end(at: TimeSpan(milliseconds: bound.milliseconds), from: TimeSpan(milliseconds: now.milliseconds))
    }

    /// It ends as soon as the value is above the bound.
    mutating func end(above bound: TimeSpan, from value: TimeSpan) {
        end(at: bound.plus(TimeSpan(milliseconds: 1)), from: value)
    }

    /// It holds no longer.
    public mutating func end() { span = .seconds(0) }

    /// It ends where a message would tell another number of minutes, hours or days.
    mutating func endWithMinute(of value: TimeSpan) {
        let (minute, past) = (LaunchValidity.longest.milliseconds, value.milliseconds)
        guard past >= 0 else { return }
        span = min(span, TimeSpan(milliseconds: minute - past % minute))
    }

    /// Whether what was found at an earlier look still stands. A clock that was set, back or far ahead, ends it.
    public func covers(_ now: ClockReading, since look: ClockReading) -> Bool {
        let byClock = now.time.milliseconds.subtractingReportingOverflow(look.time.milliseconds)
        let byBoot = now.sinceBoot.milliseconds.subtractingReportingOverflow(look.sinceBoot.milliseconds)
        let within = 0..<span.milliseconds
        return !byClock.overflow && !byBoot.overflow && within.contains(byClock.partialValue)
            && within.contains(byBoot.partialValue) && now.boot == look.boot
    }
}
