import MAMSupport

/// What a host reported of the device with `mam_report_device_health`: it holds for every app of the group, until the
/// next report or until its time has passed.
public struct DeviceHealthReport: Sendable, Equatable {
    /// The app that reported.
    public let app: String
    /// When it was reported.
    public let time: Instant
    /// For how long it holds; nil: until the next one.
    public let validFor: TimeSpan?
    /// How threatened the device is; nil where the host did not say.
    public let threatLevel: ThreatLevel?
    /// Whether the device is compliant; nil where the host did not say.
    public let isCompliant: Bool?
    /// The device lock; nil where the host did not say.
    public let lock: DeviceLock?
    /// Signals of the host's own, in the order of their names.
    public let signals: [DeviceReading]
    /// Since when the person is clocked out, by the first report that said so after the latest that said otherwise; nil where
    /// none has.
    public var clockedOutSince: ClockReading?

    /// How many signals a report may have.
    public static let maximumSignals = 64
    /// Longest detail of a signal, in bytes.
    public static let maximumDetail = 512

    /// A report.
    public init(
        app: String, time: Instant, validFor: TimeSpan? = nil, threatLevel: ThreatLevel? = nil,
        isCompliant: Bool? = nil, lock: DeviceLock? = nil, signals: [DeviceReading] = []
    ) {
        self.app = app
        self.time = time
        self.validFor = validFor
        self.threatLevel = threatLevel
        self.isCompliant = isCompliant
        self.lock = lock
        self.signals = signals.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Go on counting from when the person clocked out, in whichever report that was told first: another one does not begin
    /// the grace anew, and one that says nothing of it does not end it.
    public mutating func followWork(_ before: DeviceHealthReport?, now: ClockReading) {
        switch signals.first(where: { $0.name == WorkStatus.signal })?.state {
        case .ok: clockedOutSince = nil
        case .fail: clockedOutSince = before?.clockedOutSince ?? now
        case .unknown, .notApplicable, nil: clockedOutSince = before?.clockedOutSince
        }
    }

    /// Whether it still holds. One from the future, where the clock was set back, does not, if it was to end at all.
    public func holds(at now: Instant) -> Bool {
        guard let validFor else { return true }
        return time <= now && now < time + validFor
    }

    /// When that changes with the time of day.
    public func end(_ validity: inout LaunchValidity, at now: ClockReading) {
        if let clockedOutSince { now.endPassed(&validity, since: clockedOutSince) }
        guard let validFor else { return }
        validity.end(at: time, from: now.time)
        validity.end(at: time + validFor, from: now.time)
    }

    /// Whether a name can be a host's signal: 3 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter, with a "." inside.
    public static func isName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard (3...64).contains(bytes.count), bytes.dropFirst().dropLast().contains(UInt8(ascii: ".")) else {
            return false
        }
        return bytes[0].isASCIILetter
            && bytes.allSatisfy { byte in
                byte.isASCIILetter || byte.isASCIIDigit || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }
}
