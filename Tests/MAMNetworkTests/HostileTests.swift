import MAMDirectory
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport
import Testing

@testable import MAMAuthority

/// Whoever is on the wire: nothing but a signed reply to this very request changes anything.
@Suite struct HostileTests {
    /// A change of the reply of a check-in that orders a wipe, and the code that the app gets.
    struct Attack: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: StatusCode
        let change: @Sendable (TransportReply) -> TransportReply

        init(_ name: String, _ code: StatusCode, _ change: @escaping @Sendable (TransportReply) -> TransportReply) {
            (testDescription, self.code, self.change) = (name, code, change)
        }
    }

    private static let page = Array("<html>Please sign in</html>".utf8)

    private static func without(_ names: String..., in reply: TransportReply) -> TransportReply {
        TransportReply(
            status: reply.status, fields: reply.fields.filter { !names.contains($0.name) }, body: reply.body)
    }

    private static func replacing(_ old: String, _ new: String, in field: String, of reply: TransportReply)
        -> TransportReply
    {
        let fields = reply.fields.map { one in
            one.name == field ? (one.name, one.value.replacing(old, with: new)) : (one.name, one.value)
        }
        return TransportReply(status: reply.status, fields: fields, body: reply.body)
    }

    static let attacks = [
        Attack("a captive portal", .parsingFailure) { _ in TransportReply(status: 200, fields: [], body: page) },
        Attack("a redirect", .policyEndPointNetworkFailure) { _ in
            TransportReply(status: 302, fields: [("location", "https://evil.example")], body: [])
        },
        Attack("a proxy that wants a password", .policyEndPointNetworkFailure) { _ in
            TransportReply(status: 407, fields: [], body: page)
        },
        Attack("a load balancer", .policyEndPointNetworkFailure) { _ in
            TransportReply(status: 502, fields: [], body: page)
        },
        Attack("too many requests", .policyEndPointNetworkFailure) { _ in
            TransportReply(status: 429, fields: [("retry-after", "9")], body: [])
        },
        Attack("an unsigned problem", .policyEndPointNetworkFailure) { _ in
            TransportReply(
                status: 410, fields: [], body: Array(#"{"type":"https://mam.example.org/problems/gone"}"#.utf8))
        },
        Attack("no signature", .parsingFailure) { without("signature", "signature-input", in: $0) },
        Attack("no bytes of a signature", .parsingFailure) { without("signature", in: $0) },
        Attack("no input of a signature", .parsingFailure) { without("signature-input", in: $0) },
        Attack("no digest", .parsingFailure) { without("content-digest", in: $0) },
        Attack("another status", .parsingFailure) { TransportReply(status: 202, fields: $0.fields, body: $0.body) },
        Attack("a refusal", .parsingFailure) { TransportReply(status: 410, fields: $0.fields, body: $0.body) },
        Attack("another body", .parsingFailure) { reply in
            TransportReply(status: reply.status, fields: reply.fields, body: reply.body + [0x20])
        },
        Attack("another body with its digest", .parsingFailure) { reply in
            let body = Array(#"{"result":"wipe","wipe":99}"#.utf8)
            let fields = reply.fields.map {
                $0.name == "content-digest" ? ($0.name, contentDigest(of: body)) : ($0.name, $0.value)
            }
            return TransportReply(status: reply.status, fields: fields, body: body)
        },
        Attack("half a body", .parsingFailure) { reply in
            TransportReply(status: reply.status, fields: reply.fields, body: Array(reply.body.dropLast(9)))
        },
        Attack("two signatures", .parsingFailure) { reply in
            TransportReply(status: reply.status, fields: reply.fields + reply.fields, body: reply.body)
        },
        Attack("fewer components", .parsingFailure) {
            replacing(#" "content-digest";req"#, "", in: "signature-input", of: $0)
        },
        Attack("another key's id", .parsingFailure) {
            replacing("keyid=\"", "keyid=\"x", in: "signature-input", of: $0)
        },
        Attack("another time", .parsingFailure) { replacing("created=1", "created=2", in: "signature-input", of: $0) },
        Attack("an algorithm", .parsingFailure) {
            replacing(";created", #";alg="ed25519";created"#, in: "signature-input", of: $0)
        },
    ]

    @Test(arguments: attacks) func aChangedWipeIsNoWipe(_ attack: Attack) throws {
        let service = try LoopbackService()
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        let policies = try app.checkIn().policies
        let wipe = try service.administer("wipe.request", ["user": "ann-id"])["id"]?.integer
        service.tamper = { (_, reply) in attack.change(reply) }
        let failure = #expect(throws: AuthorityFailure.self) { try app.checkIn() }
        #expect(failure?.code == attack.code)
        #expect(failure.map { $0.isRefusal || $0.needsToken || $0.wipe != nil } == false)
        #expect(app.authority.problem != nil)
        service.tamper = nil
        #expect(try app.checkIn().wipe == wipe)
        #expect(app.authority.problem == nil)
        #expect(policies.count == 1)
    }

    @Test(arguments: attacks) func aChangedEnrollmentIsNone(_ attack: Attack) throws {
        let service = try LoopbackService()
        let code = try service.invitation()
        var app = TestApp(try service.client())
        service.tamper = { (request, reply) in request.method == "GET" ? reply : attack.change(reply) }
        let failure = #expect(throws: AuthorityFailure.self) { try app.enroll(code) }
        let isNetwork = attack.code == .policyEndPointNetworkFailure
        #expect(failure?.code == (isNetwork ? .enrollmentEndPointNetworkFailure : attack.code))
        service.tamper = nil
        try app.enroll(code)
        #expect(try app.checkIn().policies.count == 1)
    }

    @Test(arguments: attacks) func aChangedDocumentIsNotFound(_ attack: Attack) throws {
        // The reply to discovery has no such component.
        guard attack.testDescription != "fewer components" else { return }
        let service = try LoopbackService()
        var app = TestApp(try service.client())
        service.tamper = { (_, reply) in attack.change(reply) }
        let failure = #expect(throws: AuthorityFailure.self) { try app.enroll(try service.invitation()) }
        #expect(failure?.code == .locationServiceFailure)
        #expect(service.requests.count == 1, "nothing else is sent")
    }

    @Test func anotherRequestsReplyIsNone() throws {
        let service = try LoopbackService()
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        let kept = Locked<TransportReply?>(nil)
        try service.administer("wipe.request", ["user": "ann-id"])
        service.tamper = { (_, reply) in
            kept.withLock { $0 = reply }
            return reply
        }
        let wipe = try #require(try app.checkIn().wipe)
        service.tamper = nil
        try app.reportWipe(wipe)
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        service.tamper = { (_, reply) in kept.withLock { $0 } ?? reply }
        #expect(#expect(throws: AuthorityFailure.self) { try app.checkIn() }?.code == .parsingFailure)
    }

    @Test func anotherAuthorityIsRefused() throws {
        let (service, other) = (try LoopbackService(), try LoopbackService())
        var app = TestApp(try other.client())
        try app.enroll(try other.invitation())
        var moved = TestApp(try service.client())
        moved.enrollment = app.enrollment
        #expect(#expect(throws: AuthorityFailure.self) { try moved.checkIn() }?.code == .policyRecordGone)
        let client = try service.client()
        client.expect(AuthorityIdentity(ofService: "fabrikam", key: try #require(client.settings.keys?.signing.first)))
        let sent = service.requests.count
        #expect(#expect(throws: AuthorityFailure.self) { try client.directory() }?.code == .parsingFailure)
        #expect(service.requests.count == sent)
    }

    @Test func anOlderDatabaseIsRefused() throws {
        let service = try LoopbackService()
        let store = MemoryStore()
        var app = TestApp(try service.client(store))
        try app.enroll(try service.invitation())
        store.change { $0.sequence += 5 }
        var next = TestApp(try service.client(store))
        next.enrollment = app.enrollment
        app = next
        #expect(#expect(throws: AuthorityFailure.self) { try app.checkIn() }?.code == .parsingFailure)
    }

    static let failures: [(TransportFailure.Kind, StatusCode)] = [
        (.noLibrary, .policyEndPointNetworkFailure), (.noName, .policyEndPointNetworkFailure),
        (.noAnswer, .policyEndPointNetworkFailure), (.notTrusted, .policyEndPointNetworkFailure),
        (.wrongPin, .policyEndPointNetworkFailure), (.failed, .policyEndPointNetworkFailure),
        (.timeout, .timeout), (.interrupted, .timeout), (.tooLarge, .parsingFailure),
    ]

    @Test(arguments: failures) func noReplyHasItsCode(_ kind: TransportFailure.Kind, _ code: StatusCode) throws {
        let service = try LoopbackService()
        var app = TestApp(try service.client())
        try app.enroll(try service.invitation())
        _ = try app.checkIn()
        service.tamper = { (_, _) throws(TransportFailure) in throw TransportFailure(kind, "the reason") }
        let failure = #expect(throws: AuthorityFailure.self) { try app.checkIn() }
        #expect(failure?.code == code)
        #expect(failure?.message == "the reason")
    }
}
