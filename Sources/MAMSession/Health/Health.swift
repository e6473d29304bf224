import MAMPolicy
import MAMState
import MAMSupport

/// The health of the device: looked at when it is asked for, never at open, and kept for a moment.
final class Health: Sendable {
    /// Empty until somebody asks.
    private let board = Locked(HealthBoard())
    private let snapshots: Snapshots
    private let state: State
    private let clock: Clock
    private let probe: DeviceProbe
    private let app: String

    init(_ snapshots: Snapshots, _ state: State, _ clock: Clock, _ probe: DeviceProbe, app: String) {
        (self.snapshots, self.state, self.clock, self.probe, self.app) = (snapshots, state, clock, probe, app)
    }

    /// What is known now: read at most ``HealthBoard/age`` ago, under the latest report.
    func current() throws(MAMError) -> DeviceHealth {
        let snapshot = try snapshots.current()
        let (now, sinceBoot) = (clock.now(), clock.sinceBoot())
        var board = board.held { $0 }
        let report = snapshot.reported?.report
        if let health = board.health(generation: snapshot.generation, report, sinceBoot: sinceBoot, now: now) {
            return health
        }
        let stated = snapshot.device.stated ?? .nothing
        let kept = board.readings(sinceBoot: sinceBoot)
        let (readings, time) = kept ?? (look(stated), now)
        if kept == nil { board.keep(readings, time: time, sinceBoot: sinceBoot) }
        let fresh = DeviceHealth(
            readings: readings, report: report, problem: snapshot.reported?.problem?.message,
            rules: stated.health.rules, time: time, now: now)
        board.keep(fresh, generation: snapshot.generation)
        // Two threads that looked at once have found the same, while the host states the same.
        self.board.held { if snapshots.latest.generation == snapshot.generation { $0 = board } }
        return fresh
    }

    /// Keep what the host reports; it counts for every app of the group.
    func report(_ json: JSON) throws(MAMError) {
        let now = clock.reading
        var report = try DeviceHealthReport(host: json, app: app, time: now.time)
        let before = try snapshots.current().reported?.report
        report.followWork(before, now: now)
        // One that says the same, and that no time ends, changes nothing: a host may report often.
        if report.validFor == nil, let before, report.says(before) { return }
        try state.publish { (view) throws(MAMError) in try view.groupFacts.set(ReportedHealth.fact, to: report.json) }
        try snapshots.reload()
    }

    /// The host states another device: what was found out is looked at again.
    func forget() { board.held { $0 = HealthBoard() } }

    /// When what a health says may be another.
    func end(_ validity: inout LaunchValidity, of health: DeviceHealth, sinceBoot now: TimeSpan) {
        board.held { $0.end(&validity, of: health, sinceBoot: now) }
    }

    /// Look at the device; what the host states stands over what is found.
    private func look(_ stated: StatedDevice) -> [DeviceReading] {
        let request = DeviceProbe.Request(
            stateDirectory: String(decoding: state.directory.realPath, as: UTF8.self),
            allowedLibraries: stated.health.allowedLibraries)
        return stated.over(probe.read(request))
    }

    func beforeFork() { board.beforeFork() }
    func afterForkInParent() { board.afterForkInParent() }
    func afterForkInChild() { board.afterForkInChild() }
}

extension Session {
    /// The health of the device as it is known now.
    public func deviceHealth() throws(MAMError) -> DeviceHealth { try health.current() }

    /// `mam_report_device_health`.
    public func reportDeviceHealth(_ json: JSON) throws(MAMError) { try health.report(json) }
}

extension Snapshot {
    /// The facts of the device for predicates. A lock that a report names until some time spares nobody the PIN: nothing would tell
    /// the answers that it has passed.
    var deviceFacts: DeviceFacts {
        guard let report = reported?.report, let lock = report.lock else {
            return DeviceFacts(lock: device.stated?.lock ?? .notApplicable)
        }
        return DeviceFacts(lock: lock == .on && report.validFor != nil ? .unknown : lock)
    }
}

extension Clock {
    /// A reading, for times that outlive a boot.
    var reading: ClockReading { ClockReading(time: now(), sinceBoot: sinceBoot(), boot: boot()) }
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
