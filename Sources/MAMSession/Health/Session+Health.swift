import CPlatform
import MAMPolicy
import MAMState
import MAMSupport

/// The health of the device: looked at when it is asked for, never at open, and kept for a moment.
extension Session {
    private static let statedFact = "statedDevice"
    static let reportFact = "deviceHealthReport"

    /// What is known now: read at most ``HealthBoard/age`` ago, under the latest report.
    public func deviceHealth() throws(MAMError) -> DeviceHealth {
        let snapshot = try current()
        let (now, sinceBoot) = (clock.now(), clock.sinceBoot())
        let kept = lock.held {
            (
                health.health(generation: snapshot.generation, sinceBoot: sinceBoot, now: now),
                health.readings(sinceBoot: sinceBoot)
            )
        }
        if let health = kept.0 { return health }
        let stated = try statedDevice()
        let (readings, time) = kept.1 ?? (look(stated), now)
        let (report, problem) = snapshot.deviceReport
        let fresh = DeviceHealth(
            readings: readings, report: report, problem: problem?.message, rules: stated.health.rules, time: time,
            now: now)
        lock.held {
            if kept.1 == nil { health.keep(readings, time: time, sinceBoot: sinceBoot) }
            health.keep(fresh, generation: snapshot.generation)
        }
        return fresh
    }

    /// `mam_report_device_health`.
    public func reportDeviceHealth(_ json: JSON) throws(MAMError) {
        let report = try DeviceHealthReport(host: json, app: settings.app.id, time: clock.now())
        // One that says the same, and that no time ends, changes nothing: a host may report often.
        if report.validFor == nil, let before = try current().deviceReport.report, report.says(before) { return }
        try state.publish { (view) throws(MAMError) in try view.groupFacts.set(Session.reportFact, to: report.json) }
        try reload()
    }

    /// What the device is for predicates. A lock that a report names until some time spares nobody the PIN: nothing would tell
    /// the answers that it has passed.
    func deviceFacts(_ snapshot: Snapshot) -> DeviceFacts {
        guard let report = snapshot.deviceReport.report, let lock = report.lock else {
            return DeviceFacts(lock: settings.device.lock)
        }
        return DeviceFacts(lock: lock == .on && report.validFor != nil ? .unknown : lock)
    }

    /// What the host says of the device counts from one open to the next, as ``deviceAccounts(_:_:)``; nil where this open was
    /// told nothing of it.
    static func keepStatedDevice(_ state: State, _ settings: OpenSettings) throws(MAMError) -> StatedDevice? {
        guard let stated = settings.givenDevice.map(StatedDevice.init) else { return nil }
        let kept = try state.read { (view, _) throws(MAMError) in try view.facts.value(statedFact) }
        guard try kept.map(StatedDevice.init) ?? .nothing != stated else { return stated }
        try state.write { (view) throws(MAMError) in try view.facts.set(statedFact, to: stated.json) }
        return stated
    }

    private func statedDevice() throws(MAMError) -> StatedDevice {
        if let known = lock.held({ health.stated }) { return known }
        let kept = try state.read { (view, _) throws(MAMError) in try view.facts.value(Session.statedFact) }
        let known = try kept.map(StatedDevice.init) ?? .nothing
        lock.held { health.stated = known }
        return known
    }

    /// Look at the device; what the host said at open stands over what is found.
    private func look(_ stated: StatedDevice) -> [DeviceReading] {
        let request = DeviceProbe.Request(
            stateDirectory: Session.withoutLinks(state.directory.path),
            allowedLibraries: stated.health.allowedLibraries)
        return stated.over(probe.read(request))
    }

    private static func withoutLinks(_ path: String) -> String {
        var bytes = [CChar](repeating: 0, count: 4097)
        let result = platform_real_path(path, &bytes, bytes.count)
        guard result == 0 else { return path }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension DeviceHealthReport {
    /// Whether it says the same as another, whenever that was.
    fileprivate func says(_ other: DeviceHealthReport) -> Bool {
        other
            == DeviceHealthReport(
                app: app, time: other.time, validFor: validFor, threatLevel: threatLevel, isCompliant: isCompliant,
                lock: lock, signals: signals)
    }
}
