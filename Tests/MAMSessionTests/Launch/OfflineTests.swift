import MAMPolicy
import MAMSession
import MAMSupport
import Testing

@Suite("launches of who was without a check-in for long")
struct OfflineTests {
    @Test("the grace period blocks until a check-in, which a launch makes")
    func grace() throws {
        let desk = try Desk([:])
        defer { desk.session.end() }
        try desk.place.network(isDown: true)
        desk.place.time.advance(.hours(12))
        #expect(Desk.shown(try desk.look()) == "allowed")
        desk.place.time.advance(.seconds(1))
        #expect(Desk.shown(try desk.look()) == "blocked: block offline")
        #expect(Desk.shown(try desk.launch()) == "blocked: block offline")
        #expect(try desk.session.allows("print", Desk.ann) == false)
        try desk.place.network(isDown: false)
        #expect(Desk.shown(try desk.launch()) == "allowed")
        #expect(try desk.session.allows("print", Desk.ann) == true)
    }

    @Test("no access at once without a check-in: each launch makes one")
    func none() throws {
        let desk = try Desk(["periodOfflineBeforeAccessCheck": "PT0S"])
        defer { desk.session.end() }
        desk.place.time.advance(.seconds(1))
        #expect(Desk.shown(try desk.look()) == "blocked: block offline")
        #expect(Desk.shown(try desk.launch()) == "allowed")
        try desk.place.network(isDown: true)
        desk.place.time.advance(.seconds(1))
        #expect(Desk.shown(try desk.launch()) == "blocked: block offline")
    }

    @Test("after the wipe period nothing is wiped by time alone, and who connects and signs in keeps the data")
    func wipePeriod() throws {
        let desk = try Desk([:])
        defer { desk.session.end() }
        try desk.place.network(isDown: true)
        desk.place.time.advance(.days(91))
        #expect(Desk.shown(try desk.launch()) == "blocked: block offlineWipe, block offline")
        desk.place.time.advance(.days(1000))
        try desk.session.runDueNow()
        #expect(Desk.shown(try desk.launch()) == "blocked: block offlineWipe, block offline")
        try desk.place.network(isDown: false)
        #expect(Desk.shown(try desk.launch()) == "blocked: prompt credentials")
        #expect(try desk.session.allows("print", Desk.ann) == false)
        #expect(try desk.blocked() == ["conditionalLaunchCanceled"])
        #expect(Desk.shown(try desk.launch { _ in signsIn }) == "allowed")
        desk.place.time.advance(.hours(1))
        #expect(Desk.shown(try desk.launch()) == "allowed")  // once is enough
        #expect(try desk.session.sealsAndOpens("ann") == nil)
    }

    @Test(
        "after the wipe period the authority's refusal wipes: of a disabled user, and of an unknown one",
        arguments: [false, true])
    func refused(_ isRemoved: Bool) throws {
        let desk = try Desk(["periodOfflineBeforeWipeIsEnforced": "P1D"])
        defer { desk.session.end() }
        try desk.place.network(isDown: true)
        if isRemoved {
            try desk.place.admin(["action": "user.remove", "user": "ann@contoso.example"])
        } else {
            try desk.place.admin(["action": "user.set", "user": "ann@contoso.example", "enabled": false])
        }
        desk.place.time.advance(.days(2))
        _ = try desk.launch()
        #expect(try desk.session.enrolledAccounts().array?.count == 1)
        try desk.place.network(isDown: false)
        _ = try desk.launch()
        #expect(try desk.session.enrolledAccounts().array?.count == 0)
    }

    @Test(
        "within the wipe period a refusal wipes nothing, also where the clock was set ahead and back",
        arguments: [false, true])
    func early(_ isRemoved: Bool) throws {
        let desk = try Desk(["periodOfflineBeforeWipeIsEnforced": "P30D"])
        defer { desk.session.end() }
        desk.place.time.reboot(after: .hours(1))
        desk.place.time.set(by: .days(400))
        try desk.place.network(isDown: true)
        #expect(Desk.shown(try desk.launch()) == "blocked: block offlineWipe, block offline")
        desk.place.time.set(by: .days(-400))
        try desk.place.network(isDown: false)
        if isRemoved {
            try desk.place.admin(["action": "user.remove", "user": "ann@contoso.example"])
        } else {
            try desk.place.admin(["action": "user.set", "user": "ann@contoso.example", "enabled": false])
        }
        _ = try desk.launch()
        #expect(try desk.session.enrolledAccounts().array?.count == 1)
        #expect(try desk.session.allows("print", Desk.ann) == false)
    }

    @Test("a clock that is set back gains nothing, over a reboot neither, and one set ahead costs nothing")
    func clock() throws {
        let desk = try Desk([:])
        try desk.place.network(isDown: true)
        desk.place.time.set(by: .days(30))
        #expect(Desk.shown(try desk.launch()) == "allowed")
        desk.place.time.set(by: .days(-60))
        desk.place.time.advance(.hours(11))
        #expect(Desk.shown(try desk.launch()) == "allowed")
        desk.session.end()
        desk.place.time.reboot(after: .seconds(1))
        let again = try desk.place.host()
        defer { again.end() }
        desk.place.time.advance(.minutes(59))
        #expect(Desk.shown(try Desk.finish(again, try again.launch())) == "allowed")
        desk.place.time.set(by: .days(-1))
        desk.place.time.advance(.minutes(2))
        #expect(Desk.shown(try Desk.finish(again, try again.launch())) == "blocked: block offline")
        try desk.place.network(isDown: false)
        #expect(Desk.shown(try Desk.finish(again, try again.launch())) == "allowed")
        desk.place.time.advance(.hours(11))
        try desk.place.network(isDown: true)
        #expect(Desk.shown(try Desk.finish(again, try again.launch())) == "allowed")
    }
}
