import MAMPolicy
import MAMSupport

/// Reads "launch.deviceHealth" of `mam_policy_simulate`, which has the shape of "deviceHealth" in `mam_diagnostics`, so that the
/// health of a real computer can be passed unchanged.
struct DeviceHealthRequest {
    private let readings: [DeviceReading]
    private let level: ThreatLevel?
    private let rules: DeviceHealthRules

    private static let health = Action.read(
        "launch.deviceHealth",
        [
            .nullable("threatLevel", .oneOf(ThreatLevel.allCases.map(\.rawValue))), .optional("signals", .document),
            .optional("healthy", .flag), .optional("time", .label), .nullable("report", .document),
        ]
    ) { _ in .null }

    init(_ json: JSON) throws(MAMError) {
        let given = try DeviceHealthRequest.health.arguments(ofRequest: json)
        level = given.text("threatLevel").flatMap(ThreatLevel.init)
        var (readings, ignored, required): ([DeviceReading], [String], [String]) = ([], [], [])
        for (index, signal) in (given["signals"]?.array ?? []).enumerated() {
            let reading = try DeviceHealthRequest.reading(signal, index)
            readings.append(reading)
            guard let standing = signal["standing"], !standing.isNull else { continue }
            switch standing.string.flatMap(DeviceHealthRules.Relevance.init) {
            case .ignored: ignored.append(reading.name)
            case .required: required.append(reading.name)
            case nil:
                throw .argument(
                    "launch",
                    "launch.deviceHealth.signals[\(index)]: \"standing\" of \(reading.name) must be one of "
                        + DeviceHealthRules.Relevance.allCases.map(\.rawValue).joined(separator: ", "))
            default: break
            }
        }
        self.readings = readings
        rules = try DeviceHealthRules(ignore: ignored, require: required)
    }

    private static func reading(_ json: JSON, _ index: Int) throws(MAMError) -> DeviceReading {
        func wrong(_ what: String) -> MAMError { .argument("launch", "launch.deviceHealth.signals[\(index)]: \(what)") }
        guard let name = json["signal"]?.string, DeviceSignal(rawValue: name) != nil || DeviceHealthReport.isName(name)
        else {
            throw wrong(
                "\"signal\" must be one of \(DeviceSignal.allCases.map(\.rawValue).joined(separator: ", ")), or one that "
                    + "a host reports, with a \".\" in its name")
        }
        guard let state = json["state"]?.string.flatMap(DeviceReading.State.init) else {
            throw wrong(
                "\"state\" of \(name) must be one of "
                    + DeviceReading.State.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return DeviceReading(
            name: name, state, source: json["source"]?.string ?? "simulation", detail: json["detail"]?.string ?? "",
            value: json["value"]?.string)
    }

    private func reading(_ signal: DeviceSignal) -> DeviceReading? { readings.first { $0.name == signal.rawValue } }

    /// The lock that the host stated; nil where none was stated.
    var statedLock: DeviceLock? {
        guard let reading = reading(.deviceLock), ["settings", "host"].contains(reading.source) else { return nil }
        return switch reading.state {
        case .ok: .on
        case .fail: .off
        case .unknown: .unknown
        case .notApplicable: .notApplicable
        }
    }

    /// The health, with the host's statements applied over it. A signal without a reading is good.
    func health(
        version: String?, model: String?, lock: DeviceLock?, clockedOut: ClockReading?, now: Instant
    ) throws(MAMError) -> DeviceHealth {
        func stated(_ signal: DeviceSignal) -> DeviceReading {
            let fact = signal == .osVersion ? version : signal == .deviceModel ? model : nil
            if let fact { return DeviceReading(signal, .ok, source: "settings", value: fact) }
            if signal == .deviceLock, let lock {
                return DeviceReading(lock: lock, source: "settings", detail: "device.lock")
            }
            let state: DeviceReading.State = signal == .deviceLock ? .notApplicable : .ok
            return reading(signal)
                ?? DeviceReading(signal, state, source: "simulation", detail: "nothing is said of it")
        }
        var own = readings.filter { DeviceSignal(rawValue: $0.name) == nil }
        if clockedOut != nil, !own.contains(where: { $0.name == WorkStatus.signal }) {
            own.append(DeviceReading(name: WorkStatus.signal, .fail, source: "host"))
        }
        let compliance = reading(.compliance)
        let isCompliant: Bool? =
            switch compliance?.state {
            case .ok: true
            case .fail: false
            case .unknown, .notApplicable, nil: nil
            }
        var report = DeviceHealthReport(
            app: "", time: now, threatLevel: level, isCompliant: isCompliant, signals: own)
        report.clockedOutSince = clockedOut
        return DeviceHealth(
            readings: DeviceSignal.allCases.filter { $0 != .compliance }.map(stated), report: report,
            problem: compliance?.state == .unknown ? compliance?.detail : nil, rules: rules, time: now)
    }
}
