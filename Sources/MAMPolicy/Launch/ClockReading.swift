import MAMSupport

/// One look at the clocks: the one that people set, and the one that runs from boot to boot.
public struct ClockReading: Sendable, Equatable {
    /// The time of day.
    public let time: Instant
    /// The time since boot, sleep included: nobody sets it.
    public let sinceBoot: TimeSpan
    /// Which boot; "" where the system does not say.
    public let boot: String

    /// A look.
    public init(time: Instant, sinceBoot: TimeSpan, boot: String) {
        self.time = time
        // In a time namespace it may be below zero, from where no timer would ever run out.
        self.sinceBoot = max(.seconds(0), sinceBoot)
        self.boot = boot
    }

    /// Whether no reboot lies between an earlier look and this one.
    func isOfSameBoot(as earlier: ClockReading) -> Bool {
        boot.utf8.elementsEqual(earlier.boot.utf8) && sinceBoot >= earlier.sinceBoot
    }

    /// The time that has surely passed since an earlier look, whatever was done to the time of day.
    func proven(since earlier: ClockReading) -> TimeSpan {
        if isOfSameBoot(as: earlier) {
            return TimeSpan(milliseconds: sinceBoot.milliseconds &- earlier.sinceBoot.milliseconds)
        }
        // Of a look in an unknown boot nobody knows whether this boot came after it.
        guard boot.isEmpty == earlier.boot.isEmpty else { return .seconds(0) }
        return max(.seconds(0), sinceBoot)
    }

    /// What has passed since an earlier look, for periods that let somebody in: a time of day that lies before it ends every one.
    func passed(since earlier: ClockReading) -> TimeSpan {
        if isOfSameBoot(as: earlier) { return proven(since: earlier) }
        guard time >= earlier.time else { return TimeSpan(milliseconds: .max) }
        return max(proven(since: earlier), time - earlier.time)
    }

    /// When that changes otherwise than by growing.
    func endPassed(_ validity: inout LaunchValidity, since earlier: ClockReading) {
        validity.end(at: earlier.sinceBoot, from: sinceBoot)
        if !isOfSameBoot(as: earlier) { validity.end(at: earlier.time, from: time) }
    }

    /// As the state keeps it.
    public var json: JSON {
        [
            "time": .integer(time.milliseconds), "sinceBoot": .integer(sinceBoot.milliseconds), "boot": .string(boot),
        ]
    }

    /// From what the state kept; nil where that is something else.
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
    /// The sum, held at the end of the scale.
    func plus(_ other: TimeSpan) -> TimeSpan {
        let (sum, overflow) = milliseconds.addingReportingOverflow(other.milliseconds)
        return TimeSpan(milliseconds: overflow ? (milliseconds > 0 ? .max : .min) : sum)
    }
}
