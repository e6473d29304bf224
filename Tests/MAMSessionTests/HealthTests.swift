import MAMPolicy
import MAMSession
import MAMSupport
import Testing

/// A device whose readings tests set, which counts its readings.
final class FakeDevice: @unchecked Sendable {
    private let lock = Lock()
    private var failing: Set<DeviceSignal> = []  // these three guarded by `lock`
    private var looks = 0
    private var latest: DeviceProbe.Request?

    var probe: DeviceProbe {
        DeviceProbe { request in
            self.lock.withLock {
                self.looks += 1
                self.latest = request
                return DeviceSignal.allCases.map {
                    DeviceReading($0, self.failing.contains($0) ? .fail : .ok, source: "test")
                }
            }
        }
    }

    var count: Int { lock.withLock { looks } }
    var request: DeviceProbe.Request? { lock.withLock { latest } }
    func fail(_ signals: DeviceSignal...) { lock.withLock { failing = Set(signals) } }
}

@Suite("Device health of a session")
struct HealthTests {
    private let device = FakeDevice()

    private func open(
        _ place: SessionFixture, app: String = SessionFixture.app, _ device: JSON? = nil
    ) throws -> Session {
        try place.open(app: app, device.map { [("device", $0)] } ?? [], probe: self.device.probe)
    }

    @Test("the device is read on request, and the reading is cached for a short time")
    func cached() throws {
        let place = try SessionFixture()
        let session = try open(place)
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        #expect(device.count == 0)
        #expect(try session.deviceHealth().refusals.isEmpty)
        device.fail(.tracer)
        place.time.advance(.seconds(29))
        try session.reportDeviceHealth(["threatLevel": "low"])
        #expect(try session.deviceHealth().refusals.isEmpty && device.count == 1)
        place.time.advance(.seconds(1))
        #expect(try session.deviceHealth().refusals.map(\.name) == ["tracer"])
        #expect(device.count == 2)
        #expect(device.request?.stateDirectory == "\(place.root)/state/com.example")
        // Setting the clock back does not prolong an old reading.
        place.time.advance(.hours(-5))
        place.time.advance(.seconds(30))
        _ = try session.deviceHealth()
        #expect(device.count == 3)
    }

    @Test("a report applies to every app of the group, open or not, until the next report")
    func shared() throws {
        let place = try SessionFixture()
        let (notes, mail) = (try open(place), try open(place, app: "com.example.mail"))
        defer { notes.end() }
        #expect(try mail.deviceHealth().threatLevel == nil)
        try notes.reportDeviceHealth(["threatLevel": "medium", "compliant": false, "signals": ["a.b": "fail"]])
        #expect(try mail.deviceHealth().threatLevel == .medium)
        #expect(try mail.deviceHealth().refusals.map(\.name) == ["compliance", "a.b"])
        mail.end()
        let again = try open(place, app: "com.example.mail")
        defer { again.end() }
        #expect(try again.deviceHealth().report?.app == SessionFixture.app)
        try again.reportDeviceHealth([:])
        #expect(try notes.deviceHealth().threatLevel == nil)
        #expect(try notes.deviceHealth().refusals.isEmpty)
    }

    private static let junkReports: [(JSON, MAMError.Code)] = [
        (.null, .json), ([], .json), ("low", .json), (["level": "low"], .json), (["threatLevel": 1], .json),
        (["threatLevel": .null], .json), (["threatLevel": "notConfigured"], .argument),
        (["threatLevel": "Low"], .argument), (["compliant": "true"], .json), (["compliant": 1], .json),
        (["lock": true], .json), (["lock": "unknown"], .argument), (["signals": []], .json),
        (["signals": ["tracer": "ok"]], .argument), (["signals": ["": "ok"]], .argument),
        (["signals": ["a.b": "good"]], .argument), (["signals": ["a.b": true]], .json),
        (["signals": ["a.b": ["state": "ok", "more": 1]]], .json), (["signals": ["a.b": ["detail": "x"]]], .json),
        (["signals": ["a.b": ["state": "ok", "detail": "two\nlines"]]], .json),
        (["signals": ["a.b": ["state": "ok", "detail": .string(String(repeating: "x", count: 513))]]], .json),
        (["signals": .object((0..<65).map { ("a.\($0)", "ok") })], .argument),
        (["validFor": 3600], .json), (["validFor": "soon"], .argument), (["validFor": "PT0S"], .argument),
        (["validFor": "-PT1H"], .argument), (["validFor": "P99999999999999999D"], .argument),
        (["threatLevel": "secured", "signals": ["a.b": "ok", "x": "ok"]], .argument),
    ]

    @Test("an invalid report is refused, and the former report stays", arguments: HealthTests.junkReports)
    func junk(_ report: JSON, _ code: MAMError.Code) throws {
        let place = try SessionFixture(policy: nil)
        let session = try open(place)
        defer { session.end() }
        try session.reportDeviceHealth(["threatLevel": "high", "compliant": false])
        let before = try session.deviceHealth()
        #expect(throws: MAMError(code, "")) { try session.reportDeviceHealth(report) }
        #expect(try session.deviceHealth() == before)
    }

    @Test("the device settings of the latest open that states any apply")
    func settings() throws {
        let place = try SessionFixture(policy: nil)
        device.fail(.secureBoot, .tracer)
        func refused(_ settings: JSON?) throws -> [String] {
            let session = try open(place, settings)
            defer { session.end() }
            return try session.deviceHealth().refusals.map(\.name)
        }
        #expect(try refused(nil) == ["tracer"])
        let health: JSON = ["ignore": ["tracer"], "require": ["secureBoot"], "allowedLibraries": ["/usr/lib/a.so"]]
        #expect(try refused(["health": health]) == ["secureBoot"])
        #expect(device.request?.allowedLibraries == ["/usr/lib/a.so"])
        #expect(try refused(nil) == ["secureBoot"])
        #expect(device.request?.allowedLibraries == ["/usr/lib/a.so"])
        #expect(try refused([:]) == ["tracer"])
    }

    @Test("predicates and launches use the same device lock, also in a session without a device statement")
    func oneLock() throws {
        let place = try SessionFixture(policy: [
            "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Lock", "pinRequired": true,
            "disableAppPinIfDevicePinIsSet": true, "deviceLockRequired": true,
        ])
        for lock in ["on", "off"] {
            let told = try open(place, ["lock": .string(lock)])
            if lock == "on" { #expect(try told.enroll("ann") == .newPoliciesReceived) }
            told.end()
            let session = try open(place, nil)
            defer { session.end() }
            let isOn = lock == "on"
            #expect(try session.deviceHealth().lock == (isOn ? .on : .off))
            #expect(try session.pins.status(of: try named("ann"))["state"]?.string == (isOn ? "notRequired" : "notSet"))
            #expect(
                LaunchFixture.shown(try LaunchFixture.look(session))
                    == (isOn ? "allowed" : "blocked: block deviceLock, prompt pin"))
        }
    }

    @Test(
        "invalid settings open no session",
        arguments: [
            (["x": []], .json), (["ignore": "tracer"], .json), (["ignore": [1]], .json), ([], .json),
            (["ignore": ["Tracer"]], .argument), (["require": ["tracer", "root"]], .argument),
            (["ignore": ["tracer"], "require": ["tracer"]], .argument), (["allowedLibraries": ["a.so"]], .argument),
            (["allowedLibraries": [""]], .argument),
            (["ignore": .array((0..<257).map { .string("a.\($0)") })], .json),
        ] as [(JSON, MAMError.Code)])
    func badSettings(_ health: JSON, _ code: MAMError.Code) throws {
        let place = try SessionFixture(policy: nil)
        #expect(throws: MAMError(code, "")) { try open(place, ["health": health]) }
    }

    @Test("the host's statement overrides readings")
    func stated() throws {
        let place = try SessionFixture(policy: nil)
        let session = try open(place, ["version": "15.5", "model": "iPhone12,1", "lock": "off"])
        defer { session.end() }
        let health = try session.deviceHealth()
        #expect((health.osVersion, health.model, health.lock) == ("15.5", "iPhone12,1", .off))
        #expect([.osVersion, .deviceModel, .deviceLock].allSatisfy { health[$0].source == "settings" })
    }

    @Test("a reported lock replaces the PIN or requires it again, at once and in other processes")
    func lock() throws {
        let place = try SessionFixture(policy: nil)
        try place.target([
            "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "PIN", "pinRequired": true,
            "disableAppPinIfDevicePinIsSet": true,
        ])
        let session = try open(place)
        let other = try open(place)
        defer {
            session.end()
            other.end()
        }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        func isRequired() throws -> Bool {
            try JSON(
                parsing: other.policies.check(["action": "pinRequired", "account": "ann@contoso.example"]))["required"]?
                .bool
                ?? false
        }
        #expect(try isRequired())
        try session.reportDeviceHealth(["lock": "on"])
        #expect(try !isRequired())
        // A lock that expires does not replace the PIN: published answers would not change at its end.
        try session.reportDeviceHealth(["lock": "on", "validFor": "PT1H"])
        #expect(try isRequired())
        try session.reportDeviceHealth(["lock": "on"])
        try session.reportDeviceHealth(["lock": "off"])
        #expect(try isRequired())
    }

    @Test("a launch asks the host once for the threat level that a policy limits, and only if none was reported")
    func question() throws {
        let place = try SessionFixture(policy: nil)
        try place.target([
            "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Threats",
            "maximumAllowedDeviceThreatLevel": "low",
        ])
        let session = try open(place)
        defer { session.end() }
        #expect(try session.enroll("ann") == .newPoliciesReceived)
        let asked = Asked()
        func outcome(_ answer: JSON?) throws -> String? {
            asked.count = 0
            session.events.setDelegate { call in
                guard call.json["question"]?.string == "deviceHealth" else { return }
                asked.count += 1
                if let answer { try? session.events.answer(call.id, json: answer) }
                try? session.events.answer(call.id, json: .null)
            }
            guard
                case .launch(let report) = try session.operations.wait(
                    for: try session.launches.launch(), milliseconds: 10_000)
            else {
                return nil
            }
            return report.outcome.rawValue
        }
        #expect(try outcome(nil) == "blocked" && asked.count == 1)
        // An invalid report counts as no answer.
        #expect(try outcome(["threatLevel": "none"]) == "blocked" && asked.count == 1)
        #expect(try outcome(["threatLevel": "high", "validFor": "PT1M"]) == "blocked" && asked.count == 1)
        #expect(try outcome(["threatLevel": "secured"]) == "blocked" && asked.count == 0)
        place.time.advance(.minutes(1))
        #expect(try outcome(["threatLevel": "secured", "validFor": "PT1M"]) == "allowed" && asked.count == 1)
        #expect(try outcome(nil) == "allowed" && asked.count == 0)
    }

    private final class Asked: @unchecked Sendable {
        var count = 0  // of the one thread of a session without a worker
    }

    @Test("a repeated report changes nothing")
    func repeated() throws {
        let place = try SessionFixture(policy: nil)
        let session = try open(place)
        defer { session.end() }
        try session.reportDeviceHealth(["threatLevel": "low"])
        let before = try session.deviceHealth()
        place.time.advance(.seconds(5))
        try session.reportDeviceHealth(["threatLevel": "low"])
        #expect(try session.deviceHealth() == before)
        try session.reportDeviceHealth(["threatLevel": "low", "validFor": "PT1M"])
        place.time.advance(.minutes(1))
        #expect(try session.deviceHealth().threatLevel == nil)
        try session.reportDeviceHealth(["threatLevel": "low", "validFor": "PT1M"])
        #expect(try session.deviceHealth().threatLevel == .low)
    }
}
