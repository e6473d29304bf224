import CPlatform
import MAMPolicy
import MAMSession
import MAMSupport
import Testing

/// The same throws each time.
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }

    mutating func one<T>(of values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &self)] }
}

/// `mam_conditional_launch` tells again what it told, as long as another look would find it.
@Suite("looking again")
struct RepeatedLookTests {
    private let policy: JSON = [
        "pinRequired": true, "maximumPinRetries": 9, "periodBeforePinReset": "P1D", "deviceComplianceRequired": true,
        "periodOfflineBeforeAccessCheck": "PT2H", "periodOfflineBeforeWipeIsEnforced": "PT5H",
        "appActionIfAccountIsClockedOut": "block", "gracePeriodToBlockAppsDuringOffClockHours": "PT20M",
        "minimumWarningAppVersion": "9.0", "maximumAllowedDeviceThreatLevel": "low",
    ]

    @Test("what is told again is told at the same time; a moment after something changed it is looked anew")
    func remembered() throws {
        let desk = try Desk(["organizationalCredentialsRequired": true])
        defer { desk.session.end() }
        let first = try desk.session.conditionalLaunch(Desk.ann)
        desk.place.time.advance(.seconds(29))
        #expect(try desk.session.conditionalLaunch(Desk.ann) == first)
        #expect(try desk.session.conditionalLaunch("OID-ann") == first)
        desk.place.time.advance(.seconds(1))  // the device is looked at again
        let second = try desk.session.conditionalLaunch(Desk.ann)
        #expect(second != first)
        desk.place.time.set(by: .seconds(-1))
        let third = try desk.session.conditionalLaunch(Desk.ann)
        #expect(third != second)
        // What a person has shown in another app of the group is no new generation.
        let other = try desk.place.host("com.example.mail")
        defer { other.end() }
        #expect(try other.enroll("ann") == .newPoliciesReceived)
        #expect(Desk.shown(try desk.look()) == "blocked: prompt credentials")
        #expect(Desk.shown(try Desk.finish(other, try other.launch()) { _ in signsIn }) == "allowed")
        #expect(Desk.shown(try desk.look()) == "allowed")
    }

    @Test("a writer that was killed has nothing told again until the next one")
    func killedWriter() throws {
        let desk = try Desk([:])
        defer { desk.session.end() }
        try desk.place.withWords { _ = platform_notes_begin($0) }
        let first = try desk.session.conditionalLaunch(Desk.ann)
        desk.place.time.advance(.seconds(1))
        #expect(try desk.session.conditionalLaunch(Desk.ann) != first)
        try desk.session.pause()
        let second = try desk.session.conditionalLaunch(Desk.ann)
        desk.place.time.advance(.seconds(1))
        #expect(try desk.session.conditionalLaunch(Desk.ann) == second)
    }

    /// Two sessions do the same things to one state; the one that looks first has told nothing before.
    @Test(
        "whatever happens to clocks, PIN, device and policy, it is what who has never looked finds", arguments: [1, 2])
    func walk(_ seed: UInt64) throws {
        var random = Dice(state: seed)
        let desk = try Desk(policy)
        defer { desk.session.end() }
        let (session, time) = (desk.session, desk.place.time)
        var again = 0
        for step in 0..<150 {
            switch Int.random(in: 0..<14, using: &random) {
            case 0...4: time.advance(TimeSpan(milliseconds: random.one(of: [1, 999, 10_000, 31_000, 59_999, 60_001])))
            case 5: time.advance(random.one(of: [.minutes(20), .minutes(30), .hours(2), .hours(9)]))
            case 6: time.set(by: random.one(of: [.seconds(-1), .minutes(-30), .days(-2), .minutes(5), .days(2)]))
            case 7: time.reboot(after: random.one(of: [.seconds(1), .minutes(31)]))
            case 8:
                try session.reportDeviceHealth([
                    "threatLevel": random.one(of: ["low", "high"]), "validFor": random.one(of: ["PT10S", "PT1H"]),
                    "signals": ["work.time": random.one(of: ["ok", "fail", "fail", "unknown"])],
                ])
            case 9: try session.pause()
            case 10: try? session.setPIN(try named("ann"), old: nil, new: try secret("2580"))
            case 11: try? session.verifyPIN(try named("ann"), try secret(random.one(of: ["2580", "2581"])))
            case 12: _ = try desk.launch()
            default: _ = try session.finish(try session.checkIn(try named("ann")))
            }
            let told = try session.conditionalLaunch(Desk.ann)
            let fresh = try desk.place.host()
            let found = try Desk.look(fresh)
            fresh.end()
            let (mine, theirs) = (Self.findings(try JSON(parsing: told)), Self.findings(found))
            #expect(mine == theirs, "step \(step): \(mine) | \(theirs)")
            if try session.conditionalLaunch(Desk.ann) == told { again += 1 }
        }
        #expect(again > 100)
    }

    private static func findings(_ report: JSON) -> String {
        "\(report["outcome"]?.text ?? "") \(report["findings"]?.text ?? "") \(report["notApplicable"]?.text ?? "")"
    }
}
