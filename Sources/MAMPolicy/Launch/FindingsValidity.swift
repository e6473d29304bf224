import MAMSupport

/// The time for which findings stay valid as long as only time passes: until a timer expires, a grace period ends, or a message
/// would show another number.
public struct FindingsValidity: Sendable, Equatable {
    /// The time by either clock.
    public private(set) var span: TimeSpan

    /// The longest validity: numbers in messages change every minute, the smallest unit of ``TimeSpan/roughly``.
    static let maximum = TimeSpan.minutes(1)

    /// Creates the longest validity.
    public init() { span = FindingsValidity.maximum }

    /// Ends the validity when a value that grows no faster than the clocks reaches a bound. A value that has reached it already
    /// has no effect.
    public mutating func end(at bound: TimeSpan, from value: TimeSpan) {
        let (left, overflow) = bound.milliseconds.subtractingReportingOverflow(value.milliseconds)
        guard !overflow, left > 0 else { return }
        span = min(span, TimeSpan(milliseconds: left))
    }

    /// Ends the validity when the time of day reaches a bound.
    public mutating func end(at bound: Instant, from now: Instant) {
        end(at: TimeSpan(milliseconds: bound.milliseconds), from: TimeSpan(milliseconds: now.milliseconds))
    }

    /// Ends the validity when the value exceeds the bound.
    mutating func end(above bound: TimeSpan, from value: TimeSpan) {
        end(at: bound.plus(TimeSpan(milliseconds: 1)), from: value)
    }

    /// Ends the validity now.
    public mutating func end() { span = .seconds(0) }

    /// Ends the validity when a message would show another number of minutes, hours or days.
    mutating func endWithMinute(of value: TimeSpan) {
        let (minute, past) = (FindingsValidity.maximum.milliseconds, value.milliseconds)
        guard past >= 0 else { return }
        span = min(span, TimeSpan(milliseconds: minute - past % minute))
    }

    /// Returns whether the findings of an earlier reading are still valid. A clock that was set back or far ahead ends the
    /// validity.
    public func covers(_ now: ClockReading, since earlier: ClockReading) -> Bool {
        let byClock = now.time.milliseconds.subtractingReportingOverflow(earlier.time.milliseconds)
        let byBoot = now.sinceBoot.milliseconds.subtractingReportingOverflow(earlier.sinceBoot.milliseconds)
        let within = 0..<span.milliseconds
        return !byClock.overflow && !byBoot.overflow && within.contains(byClock.partialValue)
            && within.contains(byBoot.partialValue) && now.boot == earlier.boot
    }
}
