import MAMPolicy
import MAMSupport
import Testing

@Suite("Device health")
struct DeviceHealthTests {
    private static let time = Instant(milliseconds: 1_800_000_000_000)
    private static let sound = DeviceSignal.allCases.map { DeviceReading($0, .ok, source: "test") }

    private func health(
        _ signal: DeviceSignal? = nil, _ state: DeviceReading.State = .ok, rules: DeviceHealthRules = .standard,
        report: DeviceHealthReport? = nil
    ) -> DeviceHealth {
        let readings = DeviceHealthTests.sound.map { reading in
            reading.name == signal?.rawValue ? DeviceReading(name: reading.name, state, source: "test") : reading
        }
        return DeviceHealth(readings: readings, report: report, rules: rules, time: DeviceHealthTests.time)
    }

    private func refused(_ health: DeviceHealth) -> [String] { health.refusals.map(\.name) }

    @Test(
        "signals that count by default",
        arguments: DeviceSignal.allCases.filter { $0 != .compliance }, DeviceReading.State.allCases)
    func standard(_ signal: DeviceSignal, _ state: DeviceReading.State) {
        let counts: [DeviceSignal] = [.tracer, .injectedLibraries, .setUserId]
        let refuses = counts.contains(signal) && (state == .fail || state == .unknown)
        #expect(refused(health(signal, state)) == (refuses ? [signal.rawValue] : []))
    }

    @Test("settings switch each signal off, or require it", arguments: DeviceSignal.allCases)
    func switches(_ signal: DeviceSignal) throws {
        let (ignored, required) = (
            try DeviceHealthRules(ignore: [signal.rawValue], require: []),
            try DeviceHealthRules(ignore: [], require: [signal.rawValue])
        )
        for state in DeviceReading.State.allCases where signal != .compliance {
            #expect(refused(health(signal, state, rules: ignored)).isEmpty)
            #expect(refused(health(signal, state, rules: required)).isEmpty == (state == .ok), "\(state)")
        }
    }

    @Test("reported compliance counts; a missing report counts only if compliance is required")
    func compliance() throws {
        func report(_ isCompliant: Bool?) -> DeviceHealthReport {
            DeviceHealthReport(app: "a", time: DeviceHealthTests.time, isCompliant: isCompliant)
        }
        #expect(refused(health(report: report(true))).isEmpty)
        #expect(refused(health(report: report(nil))).isEmpty)
        #expect(refused(health(report: report(false))) == ["compliance"])
        let required = try DeviceHealthRules(ignore: [], require: ["compliance"])
        #expect(refused(health(rules: required)) == ["compliance"])
        #expect(refused(health(rules: required, report: report(true))).isEmpty)
        let unread = DeviceHealth(readings: DeviceHealthTests.sound, problem: "why", time: DeviceHealthTests.time)
        #expect(unread.refusals.map(\.detail) == ["why"])
    }

    @Test("a host's own signal counts by default, and a required one must be reported")
    func ownSignals() throws {
        let name = "com.example.edr"
        func report(_ state: DeviceReading.State) -> DeviceHealthReport {
            DeviceHealthReport(
                app: "a", time: DeviceHealthTests.time, signals: [DeviceReading(name: name, state, source: "host")])
        }
        #expect(refused(health(report: report(.ok))).isEmpty)
        #expect(refused(health(report: report(.notApplicable))).isEmpty)
        #expect(refused(health(report: report(.fail))) == [name])
        #expect(refused(health(report: report(.unknown))) == [name])
        let (ignored, required) = (
            try DeviceHealthRules(ignore: [name], require: []), try DeviceHealthRules(ignore: [], require: [name])
        )
        #expect(refused(health(rules: ignored, report: report(.fail))).isEmpty)
        #expect(refused(health(rules: required)) == [name])
        #expect(refused(health(rules: required, report: report(.notApplicable))) == [name])
        #expect(refused(health(rules: required, report: report(.ok))).isEmpty)
    }

    @Test("working time does not affect the device's health")
    func workTime() {
        let clockedOut = DeviceReading(name: DeviceHealthRules.workTime, .fail, source: "host")
        let report = DeviceHealthReport(app: "a", time: DeviceHealthTests.time, signals: [clockedOut])
        #expect(refused(health(report: report)).isEmpty)
    }

    @Test(
        "names that no signal can have are refused",
        arguments: ["", "Tracer", "jailbreak", "a.", ".a", "1.a", "a b.c", "ä.b", String(repeating: "a.", count: 40)])
    func badNames(_ name: String) {
        #expect(throws: MAMError(.argument, "")) { try DeviceHealthRules(ignore: [name], require: []) }
        #expect(throws: MAMError(.argument, "")) { try DeviceHealthRules(ignore: [], require: [name]) }
    }

    @Test func aNameInBothListsIsRefused() {
        #expect(throws: MAMError(.argument, "")) { try DeviceHealthRules(ignore: ["tracer"], require: ["tracer"]) }
    }

    @Test("the signals of an expired report are unknown")
    func endedReports() {
        let span = TimeSpan.minutes(10)
        let report = DeviceHealthReport(
            app: "a", time: DeviceHealthTests.time, validFor: span, threatLevel: .secured, isCompliant: true, lock: .on,
            signals: [DeviceReading(name: "a.b", .ok, source: "host")])
        func at(_ now: Instant) -> DeviceHealth {
            DeviceHealth(readings: DeviceHealthTests.sound, report: report, time: now)
        }
        let last = DeviceHealthTests.time + TimeSpan(milliseconds: span.milliseconds - 1)
        #expect(at(last).threatLevel == .secured && at(last).refusals.isEmpty && at(last).report != nil)
        let back = DeviceHealthTests.time + .seconds(-1)
        for ended in [at(DeviceHealthTests.time + span), at(back)] {
            #expect(ended.threatLevel == nil && ended.report == nil)
            #expect(refused(ended) == ["compliance", "a.b"])
        }
        #expect(
            !DeviceHealthReport(app: "a", time: DeviceHealthTests.time, validFor: TimeSpan(milliseconds: .max))
                .holds(at: Instant(milliseconds: .max)))
    }

    @Test("the reported lock overrides the one that was read")
    func lock() {
        for lock in [DeviceLock.on, .off, .notApplicable] {
            let report = DeviceHealthReport(app: "a", time: DeviceHealthTests.time, lock: lock)
            #expect(health(.deviceLock, .unknown, report: report).lock == lock)
        }
        #expect(health(.deviceLock, .fail).lock == .off)
        #expect(health(.deviceLock, .unknown).lock == .unknown)
    }

    @Test func whatNobodyReadIsUnknown() {
        let empty = DeviceHealth(readings: [], time: DeviceHealthTests.time)
        #expect(refused(empty) == ["tracer", "injectedLibraries", "setUserId"])
        #expect(empty.osVersion == nil && empty.model == nil && empty.lock == .unknown)
    }

    @Test("the stored form of a report is complete, and a newer form is rejected")
    func stored() {
        let report = DeviceHealthReport(
            app: "com.example.notes", time: DeviceHealthTests.time, validFor: .hours(1), threatLevel: .medium,
            isCompliant: false, lock: .off,
            signals: [
                DeviceReading(name: "b.c", .fail, source: "host", detail: "d"), .init(name: "a.b", .ok, source: "host"),
            ])
        #expect(DeviceHealthReport(json: report.json) == report)
        #expect(report.signals.map(\.name) == ["a.b", "b.c"])
        for (key, value) in [("threatLevel", "extreme"), ("lock", "ajar"), ("app", 1)] as [(String, JSON)] {
            let other = JSON.object((report.json.object ?? []).map { $0.key == key ? (key, value) : $0 })
            #expect(DeviceHealthReport(json: other) == nil)
        }
    }

    @Test func threatLevelsAreOrdered() {
        #expect(ThreatLevel.allCases.sorted() == [.secured, .low, .medium, .high])
    }
}
