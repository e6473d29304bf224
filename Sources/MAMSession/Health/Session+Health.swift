import CPlatform
import MAMPolicy
import MAMState
import MAMSupport

/// The health of the device: looked at when it is asked for, never at open, and kept for a moment.
extension Session {
    private static let settingsFact = "deviceHealth"
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
        let signals = try healthSettings()
        let (readings, time) = kept.1 ?? (look(signals), now)
        let (report, problem) = snapshot.deviceReport
        let fresh = DeviceHealth(
            readings: readings, report: report, problem: problem?.message, rules: signals.rules, time: time, now: now)
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

    /// What settings say of signals counts from one open to the next, as ``deviceAccounts(_:_:)``; nil where this open was
    /// told nothing of the device.
    static func keepHealthSettings(
        _ state: State, _ settings: OpenSettings
    ) throws(MAMError) -> DeviceHealthSettings? {
        guard let device = settings.givenDevice else { return nil }
        let kept = try state.read { (view, _) throws(MAMError) in try view.facts.value(settingsFact) }
        if (try kept.map(DeviceHealthSettings.init) ?? .standard) != device.health {
            try state.write { (view) throws(MAMError) in try view.facts.set(settingsFact, to: device.health.json) }
        }
        return device.health
    }

    private func healthSettings() throws(MAMError) -> DeviceHealthSettings {
        if let known = lock.held({ health.settings }) { return known }
        let kept = try state.read { (view, _) throws(MAMError) in try view.facts.value(Session.settingsFact) }
        let known = try kept.map(DeviceHealthSettings.init) ?? .standard
        lock.held { health.settings = known }
        return known
    }

    /// Look at the device; what the host said at open stands over what is found.
    private func look(_ signals: DeviceHealthSettings) -> [DeviceReading] {
        var readings = probe.read(
            DeviceProbe.Request(
                stateDirectory: Session.withoutLinks(state.directory.path), allowedLibraries: signals.allowedLibraries))
        var stated: [DeviceReading] = []
        if let version = settings.device.version {
            stated.append(DeviceReading(.osVersion, .ok, source: "settings", detail: "device.version", value: version))
        }
        if let model = settings.device.model {
            stated.append(DeviceReading(.deviceModel, .ok, source: "settings", detail: "device.model", value: model))
        }
        if let lock = settings.givenDevice?.givenLock {
            stated.append(DeviceReading(lock: lock, source: "settings", detail: "device.lock"))
        }
        readings.removeAll { reading in stated.contains { $0.name == reading.name } }
        return readings + stated
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
