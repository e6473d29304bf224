import MAMSupport

/// A host's report with `mam_report_device_health`. It is valid for every app of the group until it expires or the next report
/// replaces it.
public struct DeviceHealthReport: Sendable, Equatable {
    /// The id of the app that reported.
    public let app: String
    /// The time of the report.
    public let time: Instant
    /// The period of validity; nil: until the next report.
    public let validFor: TimeSpan?
    /// The threat level; nil if the host did not report one.
    public let threatLevel: ThreatLevel?
    /// Whether the device is compliant; nil if the host did not report it.
    public let isCompliant: Bool?
    /// The device lock; nil if the host did not report it.
    public let lock: DeviceLock?
    /// The host's own signals, sorted by name.
    public let signals: [DeviceReading]
    /// The time of the first report of being clocked out since the last report of working time; nil if there is none.
    public var clockedOutSince: ClockReading?

    /// The maximum number of signals in a report.
    public static let maximumSignals = 64
    /// The maximum length of a signal's detail, in bytes.
    public static let maximumDetail = 512

    /// Creates a report.
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
        self.signals = signals.sorted { $0.name.precedesByBytes($1.name) }
    }

    /// Carries the time of clocking out over from the report before. A repeated report does not restart the grace period, and a
    /// report without the signal does not end it.
    public mutating func updateWorkStatus(_ before: DeviceHealthReport?, now: ClockReading) {
        switch signals.first(where: { $0.name == WorkStatus.signal })?.state {
        case .ok: clockedOutSince = nil
        case .fail: clockedOutSince = before?.clockedOutSince ?? now
        case .unknown, .notApplicable, nil: clockedOutSince = before?.clockedOutSince
        }
    }

    /// Returns whether the report is still valid. A report with an expiry is not valid if its time is in the future, after the
    /// clock was set back.
    public func holds(at now: Instant) -> Bool {
        guard let validFor else { return true }
        return time <= now && now < time + validFor
    }

    /// Limits `validity` to the time at which the clocks change what the report says.
    public func limit(_ validity: inout FindingsValidity, at now: ClockReading) {
        if let clockedOutSince { now.limit(&validity, since: clockedOutSince) }
        guard let validFor else { return }
        validity.end(at: time, from: now.time)
        validity.end(at: time + validFor, from: now.time)
    }

    /// Returns whether a name is valid for a host's signal: 3 to 64 characters of A-Z a-z 0-9 . _ -, beginning with a letter
    /// and with a "." inside.
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
