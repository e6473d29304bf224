import MAMSupport

/// How long an account has been without a check-in. It never runs backwards; semantics.md 14 "Clock".
///
/// Within the boot of the check-in the clock since boot alone counts, so that setting the time of day changes nothing. After a
/// reboot the time of day counts where it is later, because nothing else knows how long the computer was off.
public struct OfflineTimer: Sendable, Equatable {
    /// The look at the latest successful check-in.
    public let checkIn: ClockReading
    /// The latest look that was noted.
    public private(set) var seen: ClockReading
    /// What had passed by then.
    private var counted: TimeSpan
    /// What had passed by then even if the time of day was wrong.
    private var proven: TimeSpan
    /// When the check-in was by the time of day of the last look within its boot: its own may have been behind.
    private var latest: Instant

    /// A timer that begins.
    public init(checkIn: ClockReading) {
        self.checkIn = checkIn
        seen = checkIn
        counted = .seconds(0)
        proven = .seconds(0)
        latest = checkIn.time
    }

    /// How long it has been.
    public func elapsed(at now: ClockReading) -> TimeSpan {
        let running = counted.plus(now.proven(since: seen))
        return now.isOfSameBoot(as: checkIn) ? running : max(running, now.time - checkIn.time)
    }

    /// How long it has been by a clock that stands right now: what a clock that was wrong for a while has counted is left out,
    /// and so is what a check-in by a clock that was behind would add. Data is removed by this one alone.
    public func certain(at now: ClockReading) -> TimeSpan {
        let least = proven.plus(now.proven(since: seen))
        return max(least, min(elapsed(at: now), now.time - dated(at: now)))
    }

    /// When the check-in was, by a clock that stands right now: a look that lies ahead of it was wrong itself.
    private func dated(at now: ClockReading) -> Instant {
        now.time >= latest ? max(latest, checkIn.time) : checkIn.time
    }

    /// When another reading than its own growth changes what has passed.
    public func end(_ validity: inout LaunchValidity, at now: ClockReading) {
        now.endPassed(&validity, since: checkIn)
        now.endPassed(&validity, since: seen)
    }

    /// Keep what has passed up to now.
    public mutating func note(_ now: ClockReading) {
        let elapsed = elapsed(at: now)
        if now.isOfSameBoot(as: checkIn) {
            latest = now.time + TimeSpan(milliseconds: -now.proven(since: checkIn).milliseconds)
        }
        proven = proven.plus(now.proven(since: seen))
        counted = elapsed
        seen = now
    }

    /// As the state keeps it.
    public var json: JSON {
        [
            "checkIn": checkIn.json, "seen": seen.json, "counted": .integer(counted.milliseconds),
            "proven": .integer(proven.milliseconds), "latest": .integer(latest.milliseconds),
        ]
    }

    /// From what the state kept; nil where that is something else.
    public init?(json: JSON?) {
        guard let checkIn = ClockReading(json: json?["checkIn"]), let seen = ClockReading(json: json?["seen"]),
            let counted = json?["counted"]?.integer, let proven = json?["proven"]?.integer, counted >= 0, proven >= 0
        else { return nil }
        self.checkIn = checkIn
        self.seen = seen
        self.counted = TimeSpan(milliseconds: counted)
        self.proven = TimeSpan(milliseconds: proven)
        latest = json?["latest"]?.integer.map(Instant.init(milliseconds:)) ?? checkIn.time
    }
}
