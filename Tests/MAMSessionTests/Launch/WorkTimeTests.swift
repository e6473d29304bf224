import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("clocked-out accounts")
struct WorkTimeTests {
    private let policy: JSON = [
        "appActionIfAccountIsClockedOut": "block", "gracePeriodToBlockAppsDuringOffClockHours": "PT10M",
    ]

    private func report(_ fixture: LaunchFixture, _ state: JSON, validFor: JSON = "PT1H") throws {
        try fixture.session.reportDeviceHealth(["signals": ["work.time": state], "validFor": validFor])
    }

    @Test("the grace period starts with the first report, regardless of later ones and of other apps")
    func grace() throws {
        let fixture = try LaunchFixture(policy)
        defer { fixture.session.end() }
        let other = try fixture.place.host("com.example.mail")
        defer { other.end() }
        for minute in 0..<11 {
            try report(fixture, "fail", validFor: .string("PT\(60 + minute)S"))
            #expect(LaunchFixture.shown(try fixture.look()) == "warned: warn clockedOut")
            if minute == 5 { try other.reportDeviceHealth(["threatLevel": "low"]) }
            if minute == 7 { try report(fixture, "unknown") }
            if minute < 10 { fixture.place.time.advance(.minutes(1)) }
        }
        fixture.place.time.advance(.seconds(1))
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: block clockedOut")
        try report(fixture, "fail")
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: block clockedOut")
        // After clocking in, the next grace period starts again.
        try report(fixture, "ok")
        #expect(LaunchFixture.shown(try fixture.look()) == "allowed")
        try report(fixture, "fail")
        #expect(LaunchFixture.shown(try fixture.look()) == "warned: warn clockedOut")
    }

    @Test("setting the clock back does not extend a grace period, not even across a reboot")
    func clock() throws {
        let fixture = try LaunchFixture(policy)
        defer { fixture.session.end() }
        try report(fixture, "fail", validFor: "P9D")
        fixture.place.time.set(by: .hours(5))
        #expect(LaunchFixture.shown(try fixture.look()) == "warned: warn clockedOut")
        fixture.place.time.advance(.minutes(11))
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: block clockedOut")
        try report(fixture, "ok")
        try fixture.session.reportDeviceHealth(["signals": ["work.time": "fail"]])
        fixture.place.time.reboot(after: .seconds(1))
        #expect(LaunchFixture.shown(try fixture.look()) == "warned: warn clockedOut")
        fixture.place.time.set(by: .hours(-1))
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: block clockedOut")
    }
}
