import MAMPolicy
import MAMState
import MAMSupport

/// The health of the device: read on request, never at open, and cached for a short time.
final class Health: LaunchHealth, DeviceFollowing, Sendable {
    /// Empty until the first request.
    private let cache = Locked(DeviceHealthCache())
    private let snapshots: Snapshots
    private let state: State
    private let clock: Clock
    private let probe: DeviceProbe
    private let app: String

    init(_ snapshots: Snapshots, _ state: State, _ clock: Clock, _ probe: DeviceProbe, app: String) {
        (self.snapshots, self.state, self.clock, self.probe, self.app) = (snapshots, state, clock, probe, app)
    }

    /// The current health: readings that are at most ``DeviceHealthCache/age`` old, and the latest report.
    func current() throws(MAMError) -> DeviceHealth {
        let snapshot = try snapshots.current()
        let (now, sinceBoot) = (clock.now(), clock.sinceBoot())
        var cache = cache.withLock { $0 }
        let report = snapshot.reported?.report
        if let health = cache.health(generationWord: snapshot.generationWord, report, sinceBoot: sinceBoot, now: now) {
            return health
        }
        let stated = snapshot.device.stated ?? .nothing
        let kept = cache.readings(sinceBoot: sinceBoot)
        let (readings, time) = kept ?? (read(stated), now)
        if kept == nil { cache.store(readings, time: time, sinceBoot: sinceBoot) }
        let fresh = DeviceHealth(
            readings: readings, report: report, problem: snapshot.reported?.problem?.message,
            rules: stated.health.rules, time: time, now: now)
        cache.store(fresh, generationWord: snapshot.generationWord)
        // Concurrent readers store equal results, unless the host's statement changed, as the generation shows.
        self.cache.withLock { if snapshots.latest.generationWord == snapshot.generationWord { $0 = cache } }
        return fresh
    }

    /// Store the host's report, for every app of the group.
    func report(_ json: JSON) throws(MAMError) {
        let now = clock.reading
        var report = try DeviceHealthReport(host: json, app: app, time: now.time)
        let before = try snapshots.current().reported?.report
        report.updateWorkStatus(before, now: now)
        // A repeated report without an end changes nothing: a host may report often.
        if report.validFor == nil, let before, report.isSame(as: before) { return }
        try state.commitForAll { (view) throws(MAMError) in
            try view.groupValues.set(.deviceHealthReport, to: report.json)
        }
        try snapshots.reload()
    }

    /// Discard the readings, because the host states another device.
    func forget() { cache.withLock { $0 = DeviceHealthCache() } }

    /// End `validity` when `health` may change.
    func limit(_ validity: inout FindingsValidity, of health: DeviceHealth, sinceBoot now: TimeSpan) {
        cache.withLock { $0.limit(&validity, of: health, sinceBoot: now) }
    }

    /// Read the device; the host's statement overrides the readings.
    private func read(_ stated: StatedDevice) -> [DeviceReading] {
        let request = DeviceProbe.Request(
            stateDirectory: String(decoding: state.directory.realPath, as: UTF8.self),
            allowedLibraries: stated.health.allowedLibraries)
        return stated.over(probe.read(request))
    }

    var locks: [any ForkAware] { [cache] }
}

extension Session {
    /// The current health of the device.
    public func deviceHealth() throws(MAMError) -> DeviceHealth { try health.current() }

    /// `mam_report_device_health`.
    public func reportDeviceHealth(_ json: JSON) throws(MAMError) { try health.report(json) }
}

extension Snapshot {
    /// Facts about the device for predicates. A reported lock that expires does not replace the PIN: published answers would not
    /// change at its end.
    var deviceFacts: DeviceFacts {
        guard let report = reported?.report, let lock = report.lock else {
            return DeviceFacts(lock: device.stated?.lock ?? .notApplicable)
        }
        return DeviceFacts(lock: lock == .on && report.validFor != nil ? .unknown : lock)
    }
}

extension Clock {
    /// A reading of the clock, comparable across reboots.
    var reading: ClockReading { ClockReading(time: now(), sinceBoot: sinceBoot(), boot: boot()) }
}

extension DeviceHealthReport {
    /// Whether two reports are equal, regardless of their times.
    fileprivate func isSame(as other: DeviceHealthReport) -> Bool {
        var same = DeviceHealthReport(
            app: app, time: other.time, validFor: validFor, threatLevel: threatLevel, isCompliant: isCompliant,
            lock: lock, signals: signals)
        same.clockedOutSince = clockedOutSince
        return other == same
    }
}
