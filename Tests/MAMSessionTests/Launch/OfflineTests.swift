import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("launches after a long time without a check-in")
struct OfflineTests {
    @Test("the grace period blocks until a check-in, which a launch makes")
    func grace() throws {
        let fixture = try LaunchFixture([:])
        defer { fixture.session.end() }
        try fixture.place.network(isDown: true)
        fixture.place.time.advance(.hours(12))
        #expect(LaunchFixture.shown(try fixture.look()) == "allowed")
        fixture.place.time.advance(.seconds(1))
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: block offline")
        #expect(LaunchFixture.shown(try fixture.launch()) == "blocked: block offline")
        #expect(try fixture.session.allows("print", LaunchFixture.ann) == false)
        try fixture.place.network(isDown: false)
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")
        #expect(try fixture.session.allows("print", LaunchFixture.ann) == true)
    }

    @Test("with a grace period of zero, each launch checks in")
    func none() throws {
        let fixture = try LaunchFixture(["periodOfflineBeforeAccessCheck": "PT0S"])
        defer { fixture.session.end() }
        fixture.place.time.advance(.seconds(1))
        #expect(LaunchFixture.shown(try fixture.look()) == "blocked: block offline")
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")
        try fixture.place.network(isDown: true)
        fixture.place.time.advance(.seconds(1))
        #expect(LaunchFixture.shown(try fixture.launch()) == "blocked: block offline")
    }

    @Test("after the wipe period time alone wipes nothing, and a sign-in keeps the data")
    func wipePeriod() throws {
        let fixture = try LaunchFixture([:])
        defer { fixture.session.end() }
        try fixture.place.network(isDown: true)
        fixture.place.time.advance(.days(91))
        #expect(LaunchFixture.shown(try fixture.launch()) == "blocked: block offlineWipe, block offline")
        fixture.place.time.advance(.days(1000))
        try fixture.session.operations.runDueNow()
        #expect(LaunchFixture.shown(try fixture.launch()) == "blocked: block offlineWipe, block offline")
        try fixture.place.network(isDown: false)
        #expect(LaunchFixture.shown(try fixture.launch()) == "blocked: prompt credentials")
        #expect(try fixture.session.allows("print", LaunchFixture.ann) == false)
        #expect(try fixture.blocked() == ["conditionalLaunchCanceled"])
        #expect(LaunchFixture.shown(try fixture.launch { _ in signsIn }) == "allowed")
        fixture.place.time.advance(.hours(1))
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")  // once is enough
        #expect(try fixture.session.sealsAndOpens("ann") == nil)
    }

    @Test(
        "after the wipe period the authority's refusal of a disabled or unknown user wipes",
        arguments: [false, true])
    func refused(_ isRemoved: Bool) throws {
        let fixture = try LaunchFixture(["periodOfflineBeforeWipeIsEnforced": "P1D"])
        defer { fixture.session.end() }
        try fixture.place.network(isDown: true)
        if isRemoved {
            try fixture.place.admin(["action": "user.remove", "user": "ann@contoso.example", "force": true])
        } else {
            try fixture.place.admin(["action": "user.set", "user": "ann@contoso.example", "enabled": false])
        }
        fixture.place.time.advance(.days(2))
        _ = try fixture.launch()
        #expect(try fixture.session.registrations.enrolledAccounts().array?.count == 1)
        try fixture.place.network(isDown: false)
        _ = try fixture.launch()
        #expect(try fixture.session.registrations.enrolledAccounts().array?.count == 0)
    }

    @Test(
        "within the wipe period a refusal wipes nothing, even if the clock was set ahead and back",
        arguments: [false, true])
    func early(_ isRemoved: Bool) throws {
        let fixture = try LaunchFixture(["periodOfflineBeforeWipeIsEnforced": "P30D"])
        defer { fixture.session.end() }
        fixture.place.time.reboot(after: .hours(1))
        fixture.place.time.set(by: .days(400))
        try fixture.place.network(isDown: true)
        #expect(LaunchFixture.shown(try fixture.launch()) == "blocked: block offlineWipe, block offline")
        fixture.place.time.set(by: .days(-400))
        try fixture.place.network(isDown: false)
        if isRemoved {
            try fixture.place.admin(["action": "user.remove", "user": "ann@contoso.example", "force": true])
        } else {
            try fixture.place.admin(["action": "user.set", "user": "ann@contoso.example", "enabled": false])
        }
        _ = try fixture.launch()
        #expect(try fixture.session.registrations.enrolledAccounts().array?.count == 1)
        #expect(try fixture.session.allows("print", LaunchFixture.ann) == false)
    }

    @Test("setting the clock back gains nothing, not even across a reboot, and setting it ahead costs nothing")
    func clock() throws {
        let fixture = try LaunchFixture([:])
        try fixture.place.network(isDown: true)
        fixture.place.time.set(by: .days(30))
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")
        fixture.place.time.set(by: .days(-60))
        fixture.place.time.advance(.hours(11))
        #expect(LaunchFixture.shown(try fixture.launch()) == "allowed")
        fixture.session.end()
        fixture.place.time.reboot(after: .seconds(1))
        let again = try fixture.place.host()
        defer { again.end() }
        fixture.place.time.advance(.minutes(59))
        #expect(LaunchFixture.shown(try LaunchFixture.finish(again, try again.launches.launch())) == "allowed")
        fixture.place.time.set(by: .days(-1))
        fixture.place.time.advance(.minutes(2))
        #expect(
            LaunchFixture.shown(try LaunchFixture.finish(again, try again.launches.launch()))
                == "blocked: block offline")
        try fixture.place.network(isDown: false)
        #expect(LaunchFixture.shown(try LaunchFixture.finish(again, try again.launches.launch())) == "allowed")
        fixture.place.time.advance(.hours(11))
        try fixture.place.network(isDown: true)
        #expect(LaunchFixture.shown(try LaunchFixture.finish(again, try again.launches.launch())) == "allowed")
    }
}
