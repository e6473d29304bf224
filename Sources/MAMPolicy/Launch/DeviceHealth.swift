import MAMSupport

/// What is known about the health of the device: what libmam has read, what the host reported, and what of it counts.
public struct DeviceHealth: Sendable, Equatable {
    /// Every signal of libmam in the order of ``DeviceSignal``, then those of the host.
    public let readings: [DeviceReading]
    /// What the host reported; nil where it never did, or where it holds no longer.
    public let report: DeviceHealthReport?
    /// Which signals count.
    public let rules: DeviceHealthRules
    /// When libmam looked.
    public let time: Instant

    /// What stands against the device where a policy has deviceComplianceRequired; none where it is healthy.
    public let refusals: [DeviceReading]

    /// What was read, with what the host reported over it. A signal nobody read is unknown; a report whose time has passed
    /// leaves what it said unknown, and one that cannot be read, for the reason in `problem`, what it could have said.
    public init(
        readings: [DeviceReading], report: DeviceHealthReport? = nil, problem: String? = nil,
        rules: DeviceHealthRules = .standard, time: Instant, now: Instant? = nil
    ) {
        let holds = report?.holds(at: now ?? time) ?? false
        var all = DeviceSignal.allCases.map { signal in
            if let reported = DeviceHealth.reported(signal, report, holds: holds) { return reported }
            return readings.first { $0.name == signal.rawValue }
                ?? DeviceReading(signal, .unknown, source: "none", detail: "nobody has looked")
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

    private static let passed = "what the host reported holds no longer; it must report anew"

    /// The reading of one of libmam's signals.
    public subscript(signal: DeviceSignal) -> DeviceReading {
        readings.first { $0.name == signal.rawValue }
            ?? DeviceReading(signal, .unknown, source: "none", detail: "nobody has looked")
    }

    /// How threatened the device is; nil where nobody said so, which no maximumAllowedDeviceThreatLevel allows.
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

    /// The version of the system; nil where it cannot be told.
    public var osVersion: String? { self[.osVersion].value }
    /// What the computer is; nil where it cannot be told.
    public var model: String? { self[.deviceModel].value }
}

extension DeviceReading {
    /// The reading of a device lock.
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
