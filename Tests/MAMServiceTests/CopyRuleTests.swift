import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

/// The rules for states that are copies.
@Suite struct CopyRuleTests {
    /// A client that has enrolled, with the newest state of its device.
    private func enrolled(_ fixture: ServiceFixture) throws -> TestClient {
        var client = TestClient(fixture: fixture, state: (3, "C"))
        try client.enroll()
        return client
    }

    /// The reply to a copy that has read its state again.
    private func replyToCopy(_ client: TestClient) throws -> JSON {
        var copy = client
        copy.state = (3, "other")
        let fixture = client.fixture
        let challenge = try client.json(fixture.service.reply(to: copy.checkIn(), now: fixture.now))["challenge"]
        let asked = copy.checkIn(("challenge", try #require(challenge)))
        let reply = fixture.service.reply(to: asked, now: fixture.now)
        #expect(copy.isSigned(reply, to: asked))
        return try client.json(reply)
    }

    private func refusal(_ reply: JSON) -> String? {
        reply["type"]?.string?.split(separator: "/").last.map(String.init)
    }

    private func regresses(_ fixture: ServiceFixture) throws -> Int {
        let devices = try fixture.administer("device.list")["devices"]?.array ?? []
        return devices.reduce(0) { $0 + ($1["regresses"]?.array?.count ?? 0) }
    }

    @Test("each rule records a copy, and the newest state goes on", arguments: CopyRule.allCases)
    func recorded(rule: CopyRule) throws {
        let fixture = try ServiceFixture(copies: rule)
        let client = try enrolled(fixture)
        for _ in 0..<2 { _ = try replyToCopy(client) }
        #expect(try regresses(fixture) == 1)
        #expect(try client.outcome(client.checkIn()) == "signed changed")
        #expect(try fixture.administer("wipe.list")["wipes"]?.array?.isEmpty == true)
    }

    @Test("by default, and where copies are wiped but nobody has confirmed that, a person is asked")
    func signIn() throws {
        for rule in [CopyRule.signIn, .wipe] {
            #expect(refusal(try replyToCopy(try enrolled(try ServiceFixture(copies: rule)))) == "needsToken")
        }
    }

    @Test("where copies are reported, one goes on under a new device tag, without a person")
    func report() throws {
        let fixture = try ServiceFixture(copies: .report)
        let client = try enrolled(fixture)
        let reply = try replyToCopy(client)
        #expect(reply["result"] == "changed")
        let renew = try #require(reply["renew"]?.string)
        let key = [4] + [UInt8](repeating: 8, count: 64)
        let next = TestClient(fixture: fixture, key: key, state: (4, "D"))
        let request = next.enrollment(authorization: "MAM-Renew \(renew)", replaces: client.registration)
        #expect(fixture.service.reply(to: request, now: fixture.now).status == 201)
        #expect(try client.outcome(client.checkIn()) == "signed gone")
    }

    @Test("a confirmed copy is wiped, with the state that it is a copy of")
    func wipe() throws {
        let fixture = try ServiceFixture(copies: .wipe)
        let client = try enrolled(fixture)
        #expect(try fixture.administer("copy.wipe", ["deviceTag": "laptop"])["wiped"] == true)
        #expect(try fixture.administer("copy.list")["wiped"] == ["laptop"])
        #expect(try client.outcome(client.checkIn()) == "signed changed", "it is no copy")
        let before = try fixture.store.sequence()
        let reply = try replyToCopy(client)
        #expect(reply["result"] == "wipe")
        #expect(reply["wipe"]?.integer == before + 1)
        #expect(try client.outcome(client.checkIn()) == "signed wipe")
        let listed = try #require(try fixture.administer("wipe.list")["wipes"]?.array)
        #expect(listed.count == 1)
        #expect(listed.first?["deviceTag"] == "laptop")
        #expect(listed.first?["app"] == "notes")
    }

    @Test("a confirmation is taken back, counts under its rule alone, and is for a known device")
    func confirmations() throws {
        let fixture = try ServiceFixture(copies: .wipe)
        let client = try enrolled(fixture)
        try fixture.administer("copy.wipe", ["deviceTag": "laptop"])
        try fixture.administer("copy.keep", ["deviceTag": "laptop"])
        #expect(refusal(try replyToCopy(client)) == "needsToken")
        #expect(throws: MAMError(.notFound, "")) { try fixture.administer("copy.wipe", ["deviceTag": "phone"]) }
        #expect(throws: MAMError(.argument, "")) { try fixture.administer("copy.wipe", ["device": "laptop"]) }
        #expect(throws: MAMError(.argument, "")) { try fixture.administer("copy.list", ["deviceTag": "laptop"]) }
        let other = try ServiceFixture(copies: .report)
        let reported = try enrolled(other)
        #expect(try other.administer("copy.wipe", ["deviceTag": "laptop"])["note"]?.string?.contains("report") == true)
        #expect(try replyToCopy(reported)["result"] == "changed")
    }
}
