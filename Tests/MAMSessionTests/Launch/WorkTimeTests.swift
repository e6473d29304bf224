import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("who is clocked out")
struct WorkTimeTests {
    private let policy: JSON = [
        "appActionIfAccountIsClockedOut": "block", "gracePeriodToBlockAppsDuringOffClockHours": "PT10M",
    ]

    private func report(_ desk: Desk, _ state: JSON, validFor: JSON = "PT1H") throws {
        try desk.session.reportDeviceHealth(["signals": ["work.time": state], "validFor": validFor])
    }

    @Test("the grace counts from the first report, however many follow, and whatever another app says meanwhile")
    func grace() throws {
        let desk = try Desk(policy)
        defer { desk.session.end() }
        let other = try desk.place.host("com.example.mail")
        defer { other.end() }
        for minute in 0..<11 {
            try report(desk, "fail", validFor: .string("PT\(60 + minute)S"))
            #expect(Desk.shown(try desk.look()) == "warned: warn clockedOut")
            if minute == 5 { try other.reportDeviceHealth(["threatLevel": "low"]) }
            if minute == 7 { try report(desk, "unknown") }
            if minute < 10 { desk.place.time.advance(.minutes(1)) }
        }
        desk.place.time.advance(.seconds(1))
        #expect(Desk.shown(try desk.look()) == "blocked: block clockedOut")
        try report(desk, "fail")
        #expect(Desk.shown(try desk.look()) == "blocked: block clockedOut")
        // Back at work the next time begins anew.
        try report(desk, "ok")
        #expect(Desk.shown(try desk.look()) == "allowed")
        try report(desk, "fail")
        #expect(Desk.shown(try desk.look()) == "warned: warn clockedOut")
    }

    @Test("a clock that is set back makes no grace longer, over a reboot neither")
    func clock() throws {
        let desk = try Desk(policy)
        defer { desk.session.end() }
        try report(desk, "fail", validFor: "P9D")
        desk.place.time.set(by: .hours(5))
        #expect(Desk.shown(try desk.look()) == "warned: warn clockedOut")
        desk.place.time.advance(.minutes(11))
        #expect(Desk.shown(try desk.look()) == "blocked: block clockedOut")
        try report(desk, "ok")
        try desk.session.reportDeviceHealth(["signals": ["work.time": "fail"]])
        desk.place.time.reboot(after: .seconds(1))
        #expect(Desk.shown(try desk.look()) == "warned: warn clockedOut")
        desk.place.time.set(by: .hours(-1))
        #expect(Desk.shown(try desk.look()) == "blocked: block clockedOut")
    }
}
