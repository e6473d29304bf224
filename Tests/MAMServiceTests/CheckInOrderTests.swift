import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

/// The order in which a check-in is refused, and how a registration goes on under a new device tag.
@Suite struct CheckInOrderTests {
    private let fixture: ServiceFixture
    private var client: TestClient

    /// ann has enrolled with a token, and her state is at its third generation.
    init() throws {
        fixture = try ServiceFixture(signIn: try TestToken.settings(["frequency": "P7D"]))
        client = TestClient(fixture: fixture, state: (3, "C"))
        client.registration = try enrolled(client.enrollment(token: TestToken.fresh(fixture)))
    }

    private func enrolled(_ request: ServiceRequest) throws -> String {
        let reply = fixture.service.reply(to: request, now: fixture.now)
        return try #require(try client.json(reply)["registration"]?.string)
    }

    private func outcome(token: TestToken? = nil) throws -> String {
        try client.outcome(client.checkIn(token: token))
    }

    @Test("a check-in gets the first answer that holds")
    mutating func order() throws {
        let wipe = try fixture.administer("wipe.request", ["user": "ann-id"])["id"] ?? .null
        try fixture.administer("user.set", ["user": "ann-id", "licensed": false, "migrating": true])
        try fixture.administer("device.block", ["deviceTag": "laptop"])
        client.state = (2, "B")
        fixture.now = fixture.now + .days(8)
        #expect(try outcome() == "signed wipe")
        try fixture.administer("wipe.cancel", ["wipe": wipe])
        #expect(try outcome() == "signed deviceBlocked")
        try fixture.administer("device.unblock", ["deviceTag": "laptop"])
        #expect(try outcome() == "signed confirm")
        client.state = (3, "C")
        #expect(try outcome() == "signed needsToken")
        #expect(try outcome(token: TestToken.fresh(fixture)) == "signed migrating")
        try fixture.administer("user.set", ["user": "ann-id", "migrating": false])
        #expect(try outcome() == "signed notLicensed")
        try fixture.administer("user.set", ["user": "ann-id", "licensed": true])
        #expect(try outcome() == "signed changed")
        try fixture.administer("user.set", ["user": "ann-id", "enabled": false])
        #expect(try outcome() == "signed changed", "with isDisabled")
        try fixture.administer("registration.remove", ["registration": .string(client.registration)])
        #expect(try outcome() == "signed unenrolled")
        try fixture.administer("user.remove", ["user": "ann-id", "force": true])
        #expect(try outcome() == "signed userUnknown")
        let path = "/mam/v1/registrations/\(client.registration)/unenroll"
        #expect(try client.outcome(client.request(path, [:])) == "signed ")
        #expect(try outcome() == "signed gone")
    }

    /// The text with which a copy enrolls under a new tag, after its person has signed in.
    private func renewal() throws -> String {
        let request = client.checkIn()
        let challenge = try client.json(fixture.service.reply(to: request, now: fixture.now))["challenge"] ?? .null
        func outcome(_ token: TestToken?) throws -> String {
            try client.outcome(client.checkIn(("challenge", challenge), token: token))
        }
        #expect(try outcome(nil) == "signed needsToken")
        #expect(try outcome(TestToken.fresh(fixture).with(["aud": "x"])) == "signed needsToken")
        #expect(
            try outcome(TestToken.fresh(fixture).with(["sub": "s-2", "email": "bob@contoso.example"]))
                == "signed needsToken")
        let confirmed = client.checkIn(("challenge", challenge), token: TestToken.fresh(fixture))
        return try #require(
            try client.json(fixture.service.reply(to: confirmed, now: fixture.now))["renew"]?.string)
    }

    @Test("a copy whose person signs in enrolls under a new tag, and the sign-in lasts no longer for it")
    mutating func copies() throws {
        client.state = (3, "other")
        fixture.now = fixture.now + .days(6)
        let text = try renewal()
        var next = TestClient(fixture: fixture, key: [4] + [UInt8](repeating: 8, count: 64), state: (4, "D"))
        next.registration = try enrolled(
            next.enrollment(authorization: "MAM-Renew \(text)", replaces: client.registration))
        #expect(try next.outcome(next.checkIn()) == "signed changed")
        fixture.now = fixture.now + .days(6)
        #expect(try next.outcome(next.checkIn()) == "signed changed")
        fixture.now = fixture.now + .days(2)
        #expect(try next.outcome(next.checkIn()) == "signed needsToken", "8 days after the sign-in")
        #expect(try next.outcome(next.checkIn(token: TestToken.fresh(fixture))) == "signed changed")
    }

    @Test("a sign-in is known for as long as its registration")
    func signInsEnd() throws {
        #expect(try fixture.store.registrant(registration: client.registration)?.signedIn == fixture.now)
        try fixture.administer("identity.revoke", ["user": "ann-id"])
        let holder = try #require(try fixture.store.registrant(registration: client.registration))
        #expect(holder.signedIn == Store.endedSignIn)
        let request = client.request("/mam/v1/registrations/\(client.registration)/unenroll", [:])
        #expect(fixture.service.reply(to: request, now: fixture.now).status == 200)
        #expect(try fixture.store.database.first("SELECT count(*) FROM sign_ins") { $0.integer(0) } == 0)
    }
}
