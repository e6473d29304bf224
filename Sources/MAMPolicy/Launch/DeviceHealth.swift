import MAMSupport

/// The health of the device: libmam's readings, the host's report, and the rules that say which signals count.
public struct DeviceHealth: Sendable, Equatable {
    /// The readings of libmam's signals in the order of ``DeviceSignal``, then those of the host's signals.
    public let readings: [DeviceReading]
    /// The host's report; nil if there is none, or if it has expired.
    public let report: DeviceHealthReport?
    /// The rules that say which signals count.
    public let rules: DeviceHealthRules
    /// The time of libmam's readings.
    public let time: Instant

    /// The readings that make the device non-compliant under deviceComplianceRequired; empty for a healthy device.
    public let refusals: [DeviceReading]

    /// Combines libmam's readings with the host's report, which takes precedence. A signal without a reading is unknown. The
    /// signals of an expired report are unknown, and so is compliance if the report cannot be read for the reason in `problem`.
    public init(
        readings: [DeviceReading], report: DeviceHealthReport? = nil, problem: String? = nil,
        rules: DeviceHealthRules = .standard, time: Instant, now: Instant? = nil
    ) {
        let holds = report?.holds(at: now ?? time) ?? false
        var all = DeviceSignal.allCases.map { signal in
            if let reported = DeviceHealth.reported(signal, report, holds: holds) { return reported }
            return readings.first { $0.name == signal.rawValue }
                ?? DeviceReading(signal, .unknown, source: "none", detail: "not examined")
        }
        all += (report?.signals ?? []).map { signal in
            holds ? signal : DeviceReading(name: signal.name, .unknown, source: "host", detail: DeviceHealth.passed)
        }
        for name in rules.required where !all.contains(where: { $0.name == name }) {
            all.append(DeviceReading(name: name, .unknown, source: "host", detail: "the host did not report it"))
        }
        if let problem, let index = all.firstIndex(where: { $0.name == DeviceSignal.compliance.rawValue }) {
            all[index] = DeviceReading(.compliance, .unknown, source: "host", detail: problem)
        }
        self.readings = all
        self.refusals = all.filter(rules.refuses)
        self.report = holds ? report : nil
        self.rules = rules
        self.time = time
    }

    private static func reported(
        _ signal: DeviceSignal, _ report: DeviceHealthReport?, holds: Bool
    ) -> DeviceReading? {
        switch signal {
        case .compliance:
            guard let isCompliant = report?.isCompliant else {
                return DeviceReading(.compliance, .notApplicable, source: "host", detail: "the host did not report it")
            }
            guard holds else { return DeviceReading(.compliance, .unknown, source: "host", detail: passed) }
            return DeviceReading(
                .compliance, isCompliant ? .ok : .fail, source: "host",
                detail: isCompliant ? "reported as compliant" : "reported as not compliant")
        case .deviceLock:
            guard holds, let lock = report?.lock else { return nil }
            return DeviceReading(lock: lock, source: "host", detail: "reported by the host")
        default: return nil
        }
    }

    private static let passed = "what the host reported holds no longer; it must report again"

    /// Returns the reading of one of libmam's signals.
    public subscript(signal: DeviceSignal) -> DeviceReading {
        readings.first { $0.name == signal.rawValue }
            ?? DeviceReading(signal, .unknown, source: "none", detail: "not examined")
    }

    /// The threat level; nil if none was reported, which no maximumAllowedDeviceThreatLevel allows.
    public var threatLevel: ThreatLevel? { report?.threatLevel }

    /// The device lock.
    public var lock: DeviceLock {
        switch self[.deviceLock].state {
        case .ok: .on
        case .fail: .off
        case .notApplicable: .notApplicable
        case .unknown: .unknown
        }
    }

    /// The version of the operating system; nil if it is not known.
    public var osVersion: String? { self[.osVersion].value }
    /// The device model; nil if it is not known.
    public var model: String? { self[.deviceModel].value }
}

extension DeviceReading {
    /// Creates the reading of a device lock.
    public init(lock: DeviceLock, source: String, detail: String) {
        let state: State =
            switch lock {
            case .on: .ok
            case .off: .fail
            case .notApplicable: .notApplicable
            case .unknown: .unknown
            }
        self.init(.deviceLock, state, source: source, detail: detail)
    }
}
