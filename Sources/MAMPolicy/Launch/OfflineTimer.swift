import MAMSupport

/// Measures the time that an account has been without a check-in. Started by
/// `LaunchHistory.recordCheckIn`. It never runs backwards; docs/launch.md "Timers".
///
/// Until the first reboot after the check-in only the clock since boot counts, so that setting the time of day has no effect.
/// After a reboot the time of day counts if it is later, because nothing else shows how long the computer was off. An authority on
/// the network tells its own time, by which the check-in is dated as well: a clock that was wrong at the check-in, and is set right
/// while the computer is off, then neither opens nor closes anything.
public struct OfflineTimer: Sendable, Equatable {
    /// The reading at the latest successful check-in.
    public let checkIn: ClockReading
    /// The time of that check-in by the authority's clock; nil where it has told none.
    public let told: Instant?
    /// The latest recorded reading.
    public private(set) var seen: ClockReading
    /// The time that had passed at ``seen``.
    private var counted: TimeSpan
    /// The time that had certainly passed at ``seen``, even if the time of day was wrong.
    private var proven: TimeSpan
    /// The time of the check-in by the time of day at the last reading of the same boot: the clock may have been behind at the
    /// check-in.
    private var correctedCheckInTime: Instant

    /// Starts a timer.
    public init(checkIn: ClockReading, told: Instant? = nil) {
        (self.checkIn, self.told) = (checkIn, told)
        seen = checkIn
        counted = .seconds(0)
        proven = .seconds(0)
        correctedCheckInTime = checkIn.time
    }

    /// Returns the time since the check-in.
    public func elapsed(at now: ClockReading) -> TimeSpan {
        let running = counted.plus(now.proven(since: seen))
        return now.isOfSameBoot(as: checkIn) ? running : max(running, now.time - date(by: now))
    }

    /// Returns the date of the check-in that fits to a clock: the later one of those that it has reached. The clock may be as wrong
    /// as it was at the check-in, or be right since.
    private func date(by now: ClockReading) -> Instant {
        guard let told, told <= now.time else { return checkIn.time }
        return checkIn.time <= now.time ? max(told, checkIn.time) : told
    }

    /// Returns the time since the check-in, assuming that the clock is right now. Time that a wrong clock counted meanwhile is
    /// left out, and so is an error of the clock at the check-in. Wipes depend on this value alone.
    public func elapsedIfClockIsRight(at now: ClockReading) -> TimeSpan {
        let least = proven.plus(now.proven(since: seen))
        return max(least, min(elapsed(at: now), now.time - checkInTime(by: now)))
    }

    /// Returns the time of the check-in, assuming that the clock is right now. A later reading was wrong itself.
    private func checkInTime(by now: ClockReading) -> Instant {
        if let told, told <= now.time { return told }
        return now.time >= correctedCheckInTime ? max(correctedCheckInTime, checkIn.time) : checkIn.time
    }

    /// Limits `validity` to the time at which the elapsed time changes other than by growing.
    public func limit(_ validity: inout FindingsValidity, at now: ClockReading) {
        now.limit(&validity, since: checkIn)
        now.limit(&validity, since: seen)
        if let told, !now.isOfSameBoot(as: checkIn) { validity.end(at: told, from: now.time) }
    }

    /// Records the time that has passed until now.
    public mutating func update(_ now: ClockReading) {
        let elapsed = elapsed(at: now)
        if now.isOfSameBoot(as: checkIn) {
            correctedCheckInTime = now.time + TimeSpan(milliseconds: -now.proven(since: checkIn).milliseconds)
        }
        proven = proven.plus(now.proven(since: seen))
        counted = elapsed
        seen = now
    }

    /// The stored form; its member latest is ``correctedCheckInTime``.
    public var json: JSON {
        [
            "checkIn": checkIn.json, "seen": seen.json, "counted": .integer(counted.milliseconds),
            "proven": .integer(proven.milliseconds), "latest": .integer(correctedCheckInTime.milliseconds),
            "told": told.map { .integer($0.milliseconds) } ?? .null,
        ]
    }

    /// Parses the stored form; nil if it is malformed.
    public init?(json: JSON?) {
        guard let checkIn = ClockReading(json: json?["checkIn"]), let seen = ClockReading(json: json?["seen"]),
            let counted = json?["counted"]?.integer, let proven = json?["proven"]?.integer, counted >= 0, proven >= 0
        else { return nil }
        self.checkIn = checkIn
        self.seen = seen
        self.counted = TimeSpan(milliseconds: counted)
        self.proven = TimeSpan(milliseconds: proven)
        told = json?["told"]?.integer.map(Instant.init(milliseconds:))
        correctedCheckInTime = json?["latest"]?.integer.map(Instant.init(milliseconds:)) ?? checkIn.time
    }
}
