import CPlatform
import MAMPolicy
import MAMState
import MAMSupport

/// The health of the device: looked at when it is asked for, never at open, and kept for a moment.
extension Session {
    /// What is known now: read at most ``HealthBoard/age`` ago, under the latest report.
    public func deviceHealth() throws(MAMError) -> DeviceHealth {
        let snapshot = try current()
        let (now, sinceBoot) = (clock.now(), clock.sinceBoot())
        var board = lock.held { health } ?? HealthBoard()
        let report = snapshot.reported?.report
        if let health = board.health(generation: snapshot.generation, report, sinceBoot: sinceBoot, now: now) {
            return health
        }
        let kept = board.readings(sinceBoot: sinceBoot)
        let (readings, time) = kept ?? (look(snapshot.device.stated ?? .nothing), now)
        if kept == nil { board.keep(readings, time: time, sinceBoot: sinceBoot) }
        let fresh = DeviceHealth(
            readings: readings, report: report, problem: snapshot.reported?.problem?.message,
            rules: (snapshot.device.stated ?? .nothing).health.rules, time: time, now: now)
        board.keep(fresh, generation: snapshot.generation)
        // Two threads that looked at once have found the same, while the host states the same.
        lock.held { if snapshots.latest.generation == snapshot.generation { health = board } }
        return fresh
    }

    /// `mam_report_device_health`.
    public func reportDeviceHealth(_ json: JSON) throws(MAMError) {
        let now = reading
        var report = try DeviceHealthReport(host: json, app: settings.app.id, time: now.time)
        let before = try current().reported?.report
        report.followWork(before, now: now)
        // One that says the same, and that no time ends, changes nothing: a host may report often.
        if report.validFor == nil, let before, report.says(before) { return }
        try state.publish { (view) throws(MAMError) in try view.groupFacts.set(ReportedHealth.fact, to: report.json) }
        try reload()
    }

    /// What the device is for predicates. A lock that a report names until some time spares nobody the PIN: nothing would tell
    /// the answers that it has passed.
    func deviceFacts(_ snapshot: Snapshot) -> DeviceFacts {
        guard let report = snapshot.reported?.report, let lock = report.lock else {
            return DeviceFacts(lock: snapshot.device.stated?.lock ?? .notApplicable)
        }
        return DeviceFacts(lock: lock == .on && report.validFor != nil ? .unknown : lock)
    }

    /// Look at the device; what the host states stands over what is found.
    private func look(_ stated: StatedDevice) -> [DeviceReading] {
        let request = DeviceProbe.Request(
            stateDirectory: String(decoding: state.directory.realPath, as: UTF8.self),
            allowedLibraries: stated.health.allowedLibraries)
        return stated.over((probe ?? .system).read(request))
    }
}

extension DeviceHealthReport {
    /// Whether it says the same as another, whenever that was.
    fileprivate func says(_ other: DeviceHealthReport) -> Bool {
        var same = DeviceHealthReport(
            app: app, time: other.time, validFor: validFor, threatLevel: threatLevel, isCompliant: isCompliant,
            lock: lock, signals: signals)
        same.clockedOutSince = clockedOutSince
        return other == same
    }
}
