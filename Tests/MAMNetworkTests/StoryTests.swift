import MAMDirectory
import MAMMessages
import MAMPolicy
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMService

/// A client and a service that both keep to the protocol.
@Suite struct StoryTests {
    let service: LoopbackService

    init() throws { service = try LoopbackService() }

    @Test func enrollsChecksInAndWipes() throws {
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        #expect(app.enrollment?.accountId == "ann-id")
        #expect(app.enrollment?.identity?.isService == true)
        let sent = service.requests.count
        let first = try app.checkIn()
        #expect(service.requests.count == sent, "the enrollment brought the first policy")
        #expect(first.policies.map(\.id) == ["strict"])
        #expect(first.upn == "ann@contoso.example")

        #expect(try app.checkIn().policies.map(\.document) == first.policies.map(\.document))
        try service.importPolicy([("dataBackupBlocked", true)])
        #expect(try app.checkIn().policies.first?.document["dataBackupBlocked"] == true)

        let wipe = try #require(try service.administer("wipe.request", ["user": "ann-id"])["id"]?.integer)
        #expect(try app.checkIn().wipe == wipe)
        #expect(try app.checkIn().wipe == wipe, "until it is reported")
        try app.reportWipe(wipe)
        try app.reportWipe(wipe)
        #expect(try service.administer("wipe.list")["wipes"]?.array?.first?["done"] == 1)
    }

    @Test func aNewProcessAsksForEverything() throws {
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        var other = TestApp(try service.client())
        other.enrollment = app.enrollment
        #expect(try other.checkIn().policies.map(\.id) == ["strict"])
        #expect(try other.checkIn().policies.map(\.id) == ["strict"], "unchanged, from its own memory")
    }

    @Test func aLostReplyIsRepeatedWithoutHarm() throws {
        var app = TestApp(try service.client())
        let code = try service.invitation()
        service.tamper = { (request, reply) throws(TransportFailure) in
            guard request.method == "POST" else { return reply }
            throw TransportFailure(.noAnswer, "")
        }
        #expect(throws: AuthorityFailure.self) { try app.enroll(code) }
        service.tamper = nil
        try app.enroll(code)
        #expect(try service.administer("registration.list")["registrations"]?.array?.count == 1)
    }

    @Test func aProcessThatEndedBeforeTheReplyLosesNoInvitation() throws {
        let store = MemoryStore()
        let code = try service.invitation()
        var app = TestApp(try service.client(store))
        try app.enroll(code)
        // Its enrollment was not stored.
        var next = TestApp(try service.client(store))
        try next.enroll(code)
        #expect(next.enrollment?.registration == app.enrollment?.registration)
        #expect(store.record().pending.count == 1)
        _ = try next.checkIn()
        #expect(store.record().pending.isEmpty, "the state has the keys now")
    }

    @Test func keysOfAnEndedRegistrationAreReplaced() throws {
        let store = MemoryStore()
        var app = TestApp(try service.client(store))
        try app.enroll(try service.invitation())
        try app.unenroll()
        var next = TestApp(try service.client(store))
        try next.enroll(try service.invitation())
        #expect(next.enrollment?.registration != app.enrollment?.registration)
        #expect(try next.checkIn().policies.count == 1)
    }

    @Test func theNumberOfTheLatestChangeIsKept() throws {
        let store = MemoryStore()
        var app = TestApp(try service.client(store))
        try app.enroll(try service.invitation())
        let first = store.record()
        #expect(first.sequence > 0 && !first.seal.isEmpty)
        try service.administer("user.add", ["upn": "bob@contoso.example"])
        _ = try app.checkIn()
        _ = try app.checkIn()
        #expect(store.record().sequence > first.sequence)
        #expect(ServiceRecord(json: store.record().json) == store.record())
    }

    @Test func withoutAnInvitationOneIsAskedFor() throws {
        var app = TestApp(try service.client())
        let failure = #expect(throws: AuthorityFailure.self) { try app.enroll(nil) }
        #expect(failure?.needsToken == true)
        #expect(failure?.code == .authRequired)
    }

    @Test(arguments: [600_000, -600_000, 315_360_000_000, -315_360_000_000] as [Int64])
    func aWrongClockIsCorrected(_ milliseconds: Int64) throws {
        service.clientTime = service.serviceTime + TimeSpan(milliseconds: milliseconds)
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        let sent = service.requests.count
        _ = try app.checkIn()
        _ = try app.checkIn()
        #expect(service.requests.count == sent + 1, "the clock is corrected once")
    }

    @Test func aWaitingWipeComesBeforeANewEnrollment() throws {
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        let wipe = try service.administer("wipe.request", ["user": "ann-id"])["id"]?.integer
        try app.unenroll()
        let mark = app.enrollment?.wipeMark
        let failure = #expect(throws: AuthorityFailure.self) {
            try app.enroll(try service.invitation(), wipeMark: mark)
        }
        #expect(failure?.wipe?.id == wipe && failure?.wipe?.accountId == "ann-id")
    }

    @Test func anAppThatLeavesLearnsOfItsWipe() throws {
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        let wipe = try service.administer("wipe.request", ["user": "ann-id"])["id"]?.integer
        for _ in 0..<2 { #expect(try app.unenroll()?.id == wipe) }
        #expect(try service.administer("wipe.list")["wipes"]?.array?.first?["pending"] == 1)
        try app.reportWipe(wipe)
        #expect(try service.administer("wipe.list")["wipes"]?.array?.first?["pending"] == 0)
        #expect(try service.administer("wipe.list")["wipes"]?.array?.first?["done"] == 1)
        #expect(try app.unenroll() != nil, "an older copy of the app's state carries it out as well")
        try app.enroll(try service.invitation(), wipeMark: wipe)
        #expect(try app.unenroll() == nil)
        #expect(try app.unenroll() == nil)
    }

    @Test func anEndedRegistrationIsGone() throws {
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        try app.unenroll()
        #expect(#expect(throws: AuthorityFailure.self) { try app.checkIn() }?.code == .policyRecordGone)
    }

    @Test func aDisabledUserIsReported() throws {
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        try service.administer("user.set", ["user": "ann-id", "enabled": false])
        #expect(try app.checkIn().isDisabled)
    }

    @Test func aRolledBackStateConfirmsFirst() throws {
        var app = TestApp(try service.client())
        app.host = app.host.at(5)
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        app.host = app.host.at(3)
        let reached = try #require(try app.checkIn().highestCounter)
        app.host = app.host.at(6)
        app.host.confirmedCounter = reached
        #expect(try app.checkIn().highestCounter == nil, "another app of the state had reported since")
        app.host = app.host.at(2)
        app.host.confirmedCounter = try app.checkIn().highestCounter
        #expect(#expect(throws: AuthorityFailure.self) { try app.checkIn() }?.needsToken == true)
    }

    /// Apps of one state that read it at different times: none is a copy.
    @Test func appsThatRaceAndRequestsThatAreRepeatedAreNoCopies() throws {
        var app = TestApp(try service.client())
        app.host = app.host.at(5, [5])
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        var other = TestApp(try service.client())
        other.enrollment = app.enrollment
        for counter in [10, 20, 30] as [Int64] {
            let (next, last) = (app.host.at(counter, [1]), app.host.at(counter + 1, [2]))
            other.host = next
            for _ in 0..<2 { #expect(try other.checkIn().highestCounter == nil, "also repeated") }
            // This one has read the state before. It reads it again; before it asks again, the other one has gone on.
            let reached = try #require(try app.checkIn().highestCounter)
            other.host = last
            #expect(try other.checkIn().highestCounter == nil)
            app.host = next
            app.host.confirmedCounter = reached
            let reply = try app.checkIn()
            #expect(reply.highestCounter == nil && reply.renewal == nil && !reply.isOfCopy)
            app.host = last
            #expect(try app.checkIn().highestCounter == nil)
        }
        #expect(try service.administer("device.list")["devices"]?.array?.first?["regresses"] == [])
    }

    /// Two copies of a state that count alike.
    @Test func aCopyWithTheSameCounterIsNoticedAtOnce() throws {
        var app = TestApp(try service.client())
        app.host = app.host.at(5, [5])
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        var copy = TestApp(try service.client())
        (copy.enrollment, copy.host) = (app.enrollment, app.host)
        #expect(try copy.checkIn().highestCounter == nil, "nothing tells them apart yet")
        app.host = app.host.at(6, [1])
        copy.host = copy.host.at(6, [2])
        #expect(try app.checkIn().highestCounter == nil)
        let reached = try #require(try copy.checkIn().highestCounter)
        copy.host.confirmedCounter = reached
        #expect(#expect(throws: AuthorityFailure.self) { try copy.checkIn() }?.needsToken == true)
        #expect(try app.checkIn().highestCounter == nil)
        // The report of a wipe tells of the state as well.
        let wipe = try service.administer("wipe.request", ["user": "ann-id"])["id"]?.integer
        app.host = app.host.at(9, [9])
        try app.reportWipe(wipe)
        #expect(try service.service.files.store.newestState(deviceTag: "laptop")?.generation == 9)
    }
}

extension HostFacts {
    /// The same state at another counter.
    fileprivate func at(_ counter: Int64, _ head: [UInt8] = []) -> HostFacts {
        HostFacts(
            deviceTag: deviceTag, platform: platform, platformVersion: platformVersion, model: model,
            libraryVersion: libraryVersion, stateCounter: counter, stateHead: head)
    }
}
