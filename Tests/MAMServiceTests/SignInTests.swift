import MAMMessages
import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

/// An enrollment whose token's signature mamd has verified.
extension TestClient {
    func enrollment(token: TestToken?, upn: String = "ann@contoso.example") throws -> ServiceRequest {
        var request = enrollment(authorization: token.map { "Bearer \($0.text)" }, upn: upn)
        request.token = request.accessToken
        return request
    }
}

extension TestToken {
    /// A token that is issued now.
    static func fresh(_ fixture: ServiceFixture) -> TestToken {
        let now = fixture.now.milliseconds / 1000
        return TestToken().with(["iat": .integer(now), "exp": .integer(now + 600), "auth_time": .integer(now)])
    }
}

@Suite("enrollment by token")
struct SignInTests {
    private let fixture: ServiceFixture

    private init(_ fixture: ServiceFixture) { self.fixture = fixture }

    init() throws {
        fixture = try ServiceFixture(signIn: try TestToken.settings())
        try fixture.administer("user.add", ["upn": "bob@contoso.example", "accountId": "bob-id"])
    }

    /// A computer with a key of its own asks.
    private func enroll(
        _ token: TestToken?, as upn: String = "ann@contoso.example", key: UInt8 = 7
    ) throws -> String {
        let client = TestClient(fixture: fixture, key: [4] + [UInt8](repeating: key, count: 64))
        let outcome = try client.outcome(client.enrollment(token: token, upn: upn))
        return outcome == "signed " ? "enrolled" : outcome
    }

    private func refusals() throws -> [String] {
        try (fixture.administer("signIn.refusals")["refusals"]?.array ?? []).map {
            "\($0["reason"]?.string ?? "") \($0["subject"]?.string ?? "-") \($0["count"]?.integer ?? 0)"
        }.sorted()
    }

    private let bob = TestToken().with(["sub": "s-2", "email": "bob@contoso.example"])

    @Test("a token enrolls its person, again and on other computers")
    func enrolls() throws {
        #expect(try enroll(TestToken()) == "enrolled")
        #expect(try enroll(TestToken()) == "enrolled")
        #expect(try enroll(TestToken(), key: 8) == "enrolled")
        #expect(try enroll(bob, as: "bob@contoso.example", key: 9) == "enrolled")
        #expect(try refusals() == [])
        let identities = try fixture.administer("identity.list")["identities"]?.array ?? []
        #expect(identities.map { $0["subject"]?.string } == ["s-1", "s-2"])
        #expect(identities.map { $0["accountId"]?.string } == ["ann-id", "bob-id"])
    }

    @Test("a token of another person enrolls nobody else, and tries out no names")
    func otherPerson() throws {
        #expect(try enroll(bob) == "signed wrongUser")
        #expect(try enroll(bob, as: "nobody@contoso.example") == "signed wrongUser")
        let stranger = TestToken().with(["sub": "s-3", "email": "eve@contoso.example"])
        #expect(try enroll(stranger) == "signed wrongUser")
        #expect(try enroll(stranger, as: "bob@contoso.example") == "signed wrongUser")
        #expect(try enroll(stranger, as: "eve@contoso.example") == "signed userUnknown")
        #expect(try refusals() == ["userUnknown s-3 1", "wrongUser s-2 2", "wrongUser s-3 2"])
        #expect(try fixture.administer("identity.list")["identities"]?.array?.isEmpty == true)
    }

    @Test("an account stays its person's until an administrator says otherwise")
    func bound() throws {
        #expect(try enroll(TestToken()) == "enrolled")
        let other = TestToken().with(["sub": "s-9"])
        #expect(try enroll(other, key: 8) == "signed wrongUser")
        #expect(try refusals() == ["otherSubject s-9 1"])
        // The person is known by the provider's id, whatever the name has become.
        let renamed = TestToken().with(["email": "bob@contoso.example"])
        #expect(try enroll(renamed, key: 8) == "enrolled")
        #expect(try enroll(renamed, as: "bob@contoso.example", key: 9) == "signed wrongUser")
        try fixture.administer("identity.unbind", ["user": "ann-id"])
        #expect(try enroll(other, key: 9) == "enrolled")
        try fixture.administer("identity.bind", ["user": "ann@contoso.example", "subject": "s-10"])
        let nameless = TestToken().with(["sub": "s-10", "email": nil])
        #expect(try enroll(nameless, key: 10) == "enrolled")
        #expect(try enroll(other, key: 11) == "signed wrongUser")
    }

    @Test("an account is not another person's who gets its former name")
    func reused() throws {
        #expect(try enroll(TestToken()) == "enrolled")
        try fixture.administer("user.remove", ["user": "ann-id", "force": true])
        try fixture.administer("user.add", ["upn": "ann@contoso.example", "accountId": "ann-2"])
        #expect(try enroll(TestToken(), key: 8) == "signed wrongUser")
        #expect(try enroll(TestToken().with(["sub": "s-9"]), key: 8) == "enrolled")
    }

    @Test("the first refusal that holds, each with its reason for administrators")
    func order() throws {
        #expect(try enroll(nil) == "signed needsToken")
        #expect(try enroll(TestToken().with(["aud": "other"])) == "signed needsToken")
        #expect(try enroll(TestToken().headed(["alg": "none"])) == "signed needsToken")
        #expect(try enroll(TestToken().with(["email_verified": false])) == "signed wrongUser")
        try fixture.administer("user.set", ["user": "ann-id", "enabled": false])
        #expect(try enroll(TestToken()) == "signed userDisabled")
        try fixture.administer("user.set", ["user": "ann-id", "enabled": true, "migrating": true])
        #expect(try enroll(TestToken()) == "signed migrating")
        try fixture.administer("user.set", ["user": "ann-id", "migrating": false, "licensed": false])
        #expect(try enroll(TestToken()) == "signed notLicensed")
        try fixture.administer("user.set", ["user": "ann-id", "licensed": true])
        #expect(try enroll(bob, as: "bob@contoso.example", key: 9) == "enrolled")
        try fixture.administer("device.block", ["deviceTag": "laptop"])
        #expect(try enroll(TestToken()) == "signed deviceBlocked")
        try fixture.administer("device.unblock", ["deviceTag": "laptop"])
        try fixture.administer("policy.unassign", ["policy": "strict", "allUsers": true])
        #expect(try enroll(TestToken()) == "signed notTargeted")
        #expect(
            try refusals() == [
                "algorithm - 1", "deviceBlocked s-1 1", "emailNotVerified s-1 1", "migrating s-1 1",
                "notLicensed s-1 1", "notTargeted s-1 1", "userDisabled s-1 1", "wrongAudience - 1",
            ])
    }

    /// An app that has enrolled checks in, with a token where there is one.
    private func checkIn(_ client: TestClient, _ token: TestToken? = nil) throws -> String {
        try client.outcome(client.checkIn(token: token))
    }

    @Test("a sign-in that lasts no longer, or was ended, is asked for at the check-in")
    func again() throws {
        let fixture = try ServiceFixture(signIn: try TestToken.settings(["frequency": "P7D"]))
        let other = SignInTests(fixture)
        var client = TestClient(fixture: fixture)
        let reply = fixture.service.reply(to: try client.enrollment(token: TestToken()), now: fixture.now)
        client.registration = try #require(try client.json(reply)["registration"]?.string)
        fixture.now = fixture.now + .days(6)
        #expect(try other.checkIn(client) == "signed changed")
        fixture.now = fixture.now + .days(1)
        #expect(try other.checkIn(client) == "signed needsToken")
        #expect(try other.checkIn(client, TestToken()) == "signed needsToken")
        #expect(try other.checkIn(client, other.bob) == "signed needsToken")
        #expect(try other.checkIn(client, TestToken.fresh(fixture).with(["sub": "s-2"])) == "signed needsToken")
        #expect(try other.checkIn(client, TestToken.fresh(fixture)) == "signed changed")
        #expect(try other.checkIn(client) == "signed changed")
        let former = TestToken.fresh(fixture)
        fixture.now = fixture.now + .minutes(1)
        try fixture.administer("identity.revoke", ["user": "ann-id"])
        #expect(try other.checkIn(client) == "signed needsToken")
        #expect(try other.checkIn(client, former) == "signed needsToken")
        #expect(try other.enroll(former, key: 8) == "signed needsToken")
        #expect(try other.checkIn(client, TestToken.fresh(fixture)) == "signed needsToken")
        fixture.now = fixture.now + .seconds(1)
        #expect(try other.checkIn(client, TestToken.fresh(fixture)) == "signed changed")
        #expect(try other.checkIn(client) == "signed changed")
        // A wipe waits for no sign-in.
        try fixture.administer("identity.revoke", ["user": "ann-id"])
        try fixture.administer("wipe.request", ["user": "ann-id"])
        #expect(try other.checkIn(client) == "signed wipe")
    }

    @Test("an ended sign-in takes the person, one that is too old does not")
    func person() throws {
        let fixture = try ServiceFixture(signIn: try TestToken.settings(["frequency": "P7D"]))
        var client = TestClient(fixture: fixture)
        let reply = fixture.service.reply(to: try client.enrollment(token: TestToken()), now: fixture.now)
        client.registration = try #require(try client.json(reply)["registration"]?.string)
        func prompt() throws -> JSON? {
            try client.json(fixture.service.reply(to: client.checkIn(), now: fixture.now))["prompt"]
        }
        fixture.now = fixture.now + .days(8)
        #expect(try prompt() == nil)
        try fixture.administer("identity.revoke", ["user": "ann-id"])
        #expect(try prompt() == "login")
    }

    @Test("refresh tokens are asked for where the settings say so, and sign-ins grow old")
    func refresh() throws {
        #expect(try TestToken.settings(["frequency": "P7D"]).json["refresh"] == nil)
        #expect(try TestToken.settings(["frequency": "P7D", "refresh": false]).json["refresh"] == nil)
        #expect(try TestToken.settings(["frequency": "P7D", "refresh": true]).json["refresh"] == true)
        for (changes, named): (KeyValuePairs<String, JSON?>, String) in [
            (["refresh": true], "frequency"), (["frequency": "P7D", "refresh": "yes"], "signIn.refresh"),
        ] {
            let error = #expect(throws: MAMError.self) { try TestToken.settings(changes) }
            #expect(error?.message.contains(named) == true)
        }
    }

    @Test("a registration by invitation is asked for no sign-in")
    func invitedForEver() throws {
        let fixture = try ServiceFixture(signIn: try TestToken.settings(["frequency": "P7D"]))
        var client = TestClient(fixture: fixture)
        try client.enroll()
        fixture.now = fixture.now + .days(30)
        #expect(try client.outcome(client.checkIn()) == "signed changed")
    }

    @Test("a provider that cannot be reached asks for patience, not for another token")
    func unavailable() throws {
        let client = TestClient(fixture: fixture)
        var request = try client.enrollment(token: TestToken())
        request.token = .failure(.providerUnavailable)
        let reply = fixture.service.reply(to: request, now: fixture.now)
        #expect((reply.status, reply.outcome) == (503, "busy"))
        #expect(reply.fields.contains { $0.name == "retry-after" && $0.value == "60" })
    }

    @Test("without a provider, a token is refused and invitations enroll")
    func withoutProvider() throws {
        let plain = try ServiceFixture()
        var client = TestClient(fixture: plain)
        #expect(try client.outcome(client.enrollment(token: TestToken())) == "signed needsToken")
        try client.enroll()
        #expect(throws: MAMError.self) { try plain.administer("identity.list") }
    }

    @Test("an invitation enrolls also where people sign in")
    func invitation() throws {
        var client = TestClient(fixture: fixture)
        try client.enroll()
        #expect(try fixture.administer("identity.list")["identities"]?.array?.isEmpty == true)
    }

    @Test("actions with other arguments are refused by name")
    func actions() throws {
        let table: [(String, KeyValuePairs<String, JSON>, String)] = [
            ("identity.bind", ["user": "ann-id"], "subject"), ("identity.bind", ["user": 1, "subject": "s"], "user"),
            ("identity.bind", ["user": "ann-id", "subject": ""], "subject"), ("identity.unbind", [:], "user"),
            ("identity.unbind", ["user": "ann-id", "subject": "s"], "subject"),
            ("identity.list", ["user": "ann-id"], "user"), ("identity.unbind", ["user": "nobody"], "nobody"),
        ]
        for (action, keys, named) in table {
            let error = #expect(throws: MAMError.self) { try fixture.administer(action, keys) }
            #expect(error?.message.contains(named) == true, "\(action): \(error?.message ?? "")")
        }
    }
}
