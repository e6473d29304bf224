import MAMSupport

/// A reading of both clocks: the time of day, which people set, and the time since boot.
public struct ClockReading: Sendable, Equatable {
    /// The time of day.
    public let time: Instant
    /// The time since boot, including sleep. Nobody can set it.
    public let sinceBoot: TimeSpan
    /// The boot id; "" if it is not known.
    public let boot: String

    /// Creates a reading.
    public init(time: Instant, sinceBoot: TimeSpan, boot: String) {
        self.time = time
        // In a time namespace the value can be negative; no timer would expire from there.
        self.sinceBoot = max(.seconds(0), sinceBoot)
        self.boot = boot
    }

    /// Returns whether no reboot happened since an earlier reading.
    func isOfSameBoot(as earlier: ClockReading) -> Bool {
        boot.utf8.elementsEqual(earlier.boot.utf8) && sinceBoot >= earlier.sinceBoot
    }

    /// Returns the time that has certainly passed since an earlier reading, independently of the time of day.
    func proven(since earlier: ClockReading) -> TimeSpan {
        if isOfSameBoot(as: earlier) {
            return TimeSpan(milliseconds: sinceBoot.milliseconds &- earlier.sinceBoot.milliseconds)
        }
        // If only one of the boots is known, their order is not.
        guard boot.isEmpty == earlier.boot.isEmpty else { return .seconds(0) }
        return max(.seconds(0), sinceBoot)
    }

    /// Returns the time since an earlier reading, for periods that grant access: a time of day before that reading ends all of
    /// them.
    func passed(since earlier: ClockReading) -> TimeSpan {
        if isOfSameBoot(as: earlier) { return proven(since: earlier) }
        guard time >= earlier.time else { return TimeSpan(milliseconds: .max) }
        return max(proven(since: earlier), time - earlier.time)
    }

    /// Limits `validity` to the time at which ``passed(since:)`` changes other than by growing.
    func limit(_ validity: inout FindingsValidity, since earlier: ClockReading) {
        validity.end(at: earlier.sinceBoot, from: sinceBoot)
        if !isOfSameBoot(as: earlier) { validity.end(at: earlier.time, from: time) }
    }

    /// The stored form.
    public var json: JSON {
        [
            "time": .integer(time.milliseconds), "sinceBoot": .integer(sinceBoot.milliseconds), "boot": .string(boot),
        ]
    }

    /// Parses the stored form; nil if it is malformed.
    public init?(json: JSON?) {
        guard let time = json?["time"]?.integer, let sinceBoot = json?["sinceBoot"]?.integer, sinceBoot >= 0 else {
            return nil
        }
        self.init(
            time: Instant(milliseconds: time), sinceBoot: TimeSpan(milliseconds: sinceBoot),
            boot: json?["boot"]?.string ?? "")
    }
}

extension TimeSpan {
    /// Returns the sum, saturating at the ends of the range.
    public func plus(_ other: TimeSpan) -> TimeSpan {
        let (sum, overflow) = milliseconds.addingReportingOverflow(other.milliseconds)
        return TimeSpan(milliseconds: overflow ? (milliseconds > 0 ? .max : .min) : sum)
    }
}
