import CProcess
import MAMPolicy
import MAMSession
import MAMSupport
import Testing

/// A generator that returns the same sequence each time.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }

    mutating func one<T>(of values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &self)] }
}

/// `mam_conditional_launch` repeats its reply as long as another evaluation would have the same result.
@Suite("repeated evaluations")
struct RepeatedLookTests {
    private let policy: JSON = [
        "pinRequired": true, "maximumPinRetries": 9, "periodBeforePinReset": "P1D", "deviceComplianceRequired": true,
        "periodOfflineBeforeAccessCheck": "PT2H", "periodOfflineBeforeWipeIsEnforced": "PT5H",
        "appActionIfAccountIsClockedOut": "block", "gracePeriodToBlockAppsDuringOffClockHours": "PT20M",
        "minimumWarningAppVersion": "9.0", "maximumAllowedDeviceThreatLevel": "low",
    ]

    @Test("a repeated reply has the same time; after a change the rules are evaluated again")
    func remembered() throws {
        let fixture = try LaunchFixture(["organizationalCredentialsRequired": true])
        defer { fixture.session.end() }
        let first = try fixture.session.launches.conditionalLaunch(LaunchFixture.ann)
        fixture.place.time.advance(.seconds(29))
        #expect(try fixture.session.launches.conditionalLaunch(LaunchFixture.ann) == first)
        #expect(try fixture.session.launches.conditionalLaunch("OID-ann") == first)
        fixture.place.time.advance(.seconds(1))  // the device is looked at again
        let second = try fixture.session.launches.conditionalLaunch(LaunchFixture.ann)
        #expect(second != first)
        fixture.place.time.set(by: .seconds(-1))
        let third = try fixture.session.launches.conditionalLaunch(LaunchFixture.ann)
        #expect(third != second)
        // An authentication in another app of the group is no new generation.
        let other = try fixture.place.host("com.example.mail")
        defer { other.end() }
        #expect(try other.enroll("ann") == .newPoliciesReceived)
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: prompt credentials")
        #expect(
            LaunchFixture.shown(try LaunchFixture.finish(other, try other.launches.launch()) { _ in signsIn })
                == "allowed")
        #expect(LaunchFixture.shown(try fixture.look()) == "allowed")
    }

    @Test("after a writer was killed, no reply is repeated until the next write")
    func killedWriter() throws {
        let fixture = try LaunchFixture([:])
        defer { fixture.session.end() }
        try fixture.place.withWords { _ = shared_writes_begin($0) }
        let first = try fixture.session.launches.conditionalLaunch(LaunchFixture.ann)
        fixture.place.time.advance(.seconds(1))
        #expect(try fixture.session.launches.conditionalLaunch(LaunchFixture.ann) != first)
        try fixture.session.launches.pause()
        let second = try fixture.session.launches.conditionalLaunch(LaunchFixture.ann)
        fixture.place.time.advance(.seconds(1))
        #expect(try fixture.session.launches.conditionalLaunch(LaunchFixture.ann) == second)
    }

    /// Two sessions do the same things to one state; the session that evaluates first has no earlier reply.
    @Test(
        "after changes of clocks, PIN, device and policy, a repeated reply equals a first one", arguments: [1, 2])
    func walk(_ seed: UInt64) throws {
        var random = SeededGenerator(state: seed)
        let fixture = try LaunchFixture(policy)
        defer { fixture.session.end() }
        let (session, time) = (fixture.session, fixture.place.time)
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
            case 9: try session.launches.pause()
            case 10: try? session.pins.set(try named("ann"), old: nil, new: try secret("2580"))
            case 11: try? session.pins.verify(try named("ann"), try secret(random.one(of: ["2580", "2581"])))
            case 12: _ = try fixture.launch()
            default: _ = try session.finish(try session.registrations.checkIn(try named("ann")))
            }
            let told = try session.launches.conditionalLaunch(LaunchFixture.ann)
            let fresh = try fixture.place.host()
            let found = try LaunchFixture.look(fresh)
            fresh.end()
            let (mine, theirs) = (Self.findings(try JSON(parsing: told)), Self.findings(found))
            #expect(mine == theirs, "step \(step): \(mine) | \(theirs)")
            if try session.launches.conditionalLaunch(LaunchFixture.ann) == told { again += 1 }
        }
        #expect(again > 100)
    }

    private static func findings(_ report: JSON) -> String {
        "\(report["outcome"]?.text ?? "") \(report["findings"]?.text ?? "") \(report["notApplicable"]?.text ?? "")"
    }
}
