import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

/// Check-ins that are answered from facts read for many at once. ``TestClient/outcome(_:)`` compares each of all tests with the ordinary
/// answer.
@Suite("gathered check-ins")
struct GatheredCheckInTests {
    private let fixture: ServiceFixture
    private var client: TestClient

    init() throws {
        fixture = try ServiceFixture()
        client = TestClient(fixture: fixture)
        try client.enroll()
    }

    private func isGathered(_ more: JSON.Member...) throws -> Bool {
        try fixture.gatheredReply(to: client.checkIn(more.first ?? ("policyTag", "none"))) != nil
    }

    /// Check in, store what is recorded, and look whether the next one is gathered.
    private func isGatheredAgain() throws -> Bool {
        _ = try client.outcome(client.checkIn())
        fixture.service.storeSightings(now: fixture.now)
        return try isGathered()
    }

    @Test("a check-in that brings nothing new is gathered")
    func plain() throws {
        #expect(try isGatheredAgain())
        try fixture.administer("group.add", ["name": "staff"])
        try fixture.administer("group.addMember", ["group": "staff", "user": "ann-id"])
        #expect(try !isGathered(), "until the delivery of the change is known")
        #expect(try isGatheredAgain())
    }

    @Test("the time of a gathered check-in is stored")
    func lastSeen() throws {
        #expect(try isGatheredAgain())
        func lastSync() throws -> JSON? {
            try fixture.administer("registration.list")["registrations"]?.array?.first?["lastSyncDateTime"]
        }
        fixture.now = fixture.now + .days(2)
        #expect(try isGathered())
        fixture.service.storeSightings(now: fixture.now)
        #expect(try lastSync()?.string == fixture.now.rfc3339)
    }

    @Test(
        "a change that applies to it is answered in the ordinary way",
        arguments: [
            ["action": "wipe.request", "user": "ann-id"], ["action": "device.block", "deviceTag": "laptop"],
            ["action": "user.set", "user": "ann-id", "licensed": false],
            ["action": "user.set", "user": "ann-id", "migrating": true],
            ["action": "user.remove", "user": "ann-id", "force": true],
        ] as [JSON])
    func changed(action: JSON) throws {
        #expect(try isGatheredAgain())
        _ = try fixture.service.administer(action, now: fixture.now)
        #expect(try !isGatheredAgain())
    }

    @Test("another state, a larger number of changes and an end are answered in the ordinary way")
    mutating func others() throws {
        #expect(try isGatheredAgain())
        #expect(try !isGathered(("sequence", 1_000_000_000_000)))
        client.state = (1, "B")
        #expect(try !isGathered())
        client.state = (2, "B")
        #expect(try !isGathered())
        #expect(try isGatheredAgain())
        let path = "/mam/v1/registrations/\(client.registration)/unenroll"
        #expect(fixture.service.reply(to: client.request(path, [:]), now: fixture.now).status == 200)
        #expect(try !isGathered())
    }
}
