import MAMSupport

/// Measures the time that an account has been without a check-in. Started by
/// `LaunchHistory.recordCheckIn`. It never runs backwards; docs/launch.md "Timers".
///
/// Until the first reboot after the check-in only the clock since boot counts, so that setting the time of day has no effect.
/// After a reboot the time of day counts if it is later, because nothing else shows how long the computer was off. An authority on
/// the network tells its own time, by which the check-in is dated as well: a clock that was wrong at the check-in, and is set right
/// while the computer is off, then neither blocks the account nor unblocks it.
public struct OfflineTimer: Sendable, Equatable {
    /// The reading at the latest successful check-in.
    public let checkIn: ClockReading
    /// The time of that check-in by the authority's clock; nil where it has told none.
    public let checkInByAuthority: Instant?
    /// The latest recorded reading.
    public private(set) var lastReading: ClockReading
    /// The time that had passed at ``lastReading``.
    private var counted: TimeSpan
    /// The time that had certainly passed at ``lastReading``, even if the time of day was wrong.
    private var proven: TimeSpan
    /// The check-in's time, computed from the time of day at the last reading of that boot: the clock may have been wrong at the
    /// check-in, and set right since.
    private var correctedCheckInTime: Instant

    /// Starts a timer.
    public init(checkIn: ClockReading, byAuthority checkInByAuthority: Instant? = nil) {
        (self.checkIn, self.checkInByAuthority) = (checkIn, checkInByAuthority)
        lastReading = checkIn
        counted = .seconds(0)
        proven = .seconds(0)
        correctedCheckInTime = checkIn.time
    }

    /// Returns the time since the check-in.
    public func elapsed(at now: ClockReading) -> TimeSpan {
        let running = counted.plus(now.proven(since: lastReading))
        return now.isOfSameBoot(as: checkIn) ? running : max(running, now.time - claimedCheckIn(by: now))
    }

    /// Returns the check-in's time as this reading's clock would tell it, whether the clock is as wrong as it was at the check-in or
    /// right since: the later of the two dates of the check-in that it has reached.
    private func claimedCheckIn(by now: ClockReading) -> Instant {
        guard let checkInByAuthority, checkInByAuthority <= now.time else { return checkIn.time }
        return checkIn.time <= now.time ? max(checkInByAuthority, checkIn.time) : checkInByAuthority
    }

    /// Returns the time since the check-in, assuming that the clock is right now. Time that a wrong clock counted meanwhile is
    /// left out, and so is an error of the clock at the check-in. Wipes depend on this value alone.
    public func elapsedIfClockIsRight(at now: ClockReading) -> TimeSpan {
        let least = proven.plus(now.proven(since: lastReading))
        return max(least, min(elapsed(at: now), now.time - checkInIfClockIsRight(by: now)))
    }

    /// Returns the time of the check-in, assuming that the clock is right now. A later reading was wrong itself.
    private func checkInIfClockIsRight(by now: ClockReading) -> Instant {
        if let checkInByAuthority, checkInByAuthority <= now.time { return checkInByAuthority }
        return now.time >= correctedCheckInTime ? max(correctedCheckInTime, checkIn.time) : checkIn.time
    }

    /// Limits `validity` to the time at which the elapsed time changes other than by growing.
    public func limit(_ validity: inout FindingsValidity, at now: ClockReading) {
        now.limit(&validity, since: checkIn)
        now.limit(&validity, since: lastReading)
        if let checkInByAuthority, !now.isOfSameBoot(as: checkIn) {
            validity.end(at: checkInByAuthority, from: now.time)
        }
    }

    /// Records the time that has passed until now.
    public mutating func update(_ now: ClockReading) {
        let elapsed = elapsed(at: now)
        if now.isOfSameBoot(as: checkIn) {
            correctedCheckInTime = now.time + TimeSpan(milliseconds: -now.proven(since: checkIn).milliseconds)
        }
        proven = proven.plus(now.proven(since: lastReading))
        counted = elapsed
        lastReading = now
    }

    /// The stored form; its member latest is ``correctedCheckInTime``.
    public var json: JSON {
        [
            "checkIn": checkIn.json, "seen": lastReading.json, "counted": .integer(counted.milliseconds),
            "proven": .integer(proven.milliseconds), "latest": .integer(correctedCheckInTime.milliseconds),
            "told": checkInByAuthority.map { .integer($0.milliseconds) } ?? .null,
        ]
    }

    /// Parses the stored form; nil if it is malformed.
    public init?(json: JSON?) {
        guard let checkIn = ClockReading(json: json?["checkIn"]), let lastReading = ClockReading(json: json?["seen"]),
            let counted = json?["counted"]?.integer, let proven = json?["proven"]?.integer, counted >= 0, proven >= 0
        else { return nil }
        self.checkIn = checkIn
        self.lastReading = lastReading
        self.counted = TimeSpan(milliseconds: counted)
        self.proven = TimeSpan(milliseconds: proven)
        checkInByAuthority = json?["told"]?.integer.map(Instant.init(milliseconds:))
        correctedCheckInTime = json?["latest"]?.integer.map(Instant.init(milliseconds:)) ?? checkIn.time
    }
}
