import Foundation
import MAMProtection
import MAMSupport
import Testing

import MAMMessages
@testable import MAMDirectory
@testable import MAMService

/// An app that talks to a service without a network.
struct TestClient {
    let fixture: ServiceFixture
    var key: [UInt8] = [4] + [UInt8](repeating: 7, count: 64)
    var address = ServiceFixture.address
    var registration = ""
    /// The generation of its state, and the head.
    var state: (generation: Int64, head: String) = (1, "A")

    /// A signed request.
    func request(
        _ path: String, _ body: JSON, authorization: String? = nil, created: Int64? = nil, keyId: String? = nil
    ) -> ServiceRequest {
        let host = ServiceAddress(address)
        let bytes = body.utf8
        let covered =
            #"("@method" "@target-uri" "content-digest""# + (authorization == nil ? ")" : #" "authorization")"#)
        let time = created ?? fixture.now.milliseconds / 1000
        let input = "\(covered);created=\(time);nonce=\"AAAAAAAAAAAAAAAAAAAAAA\";keyid=\"\(keyId ?? registration)\""
        var base =
            "\"@method\": POST\n\"@target-uri\": \(address + path)\n\"content-digest\": \(contentDigest(of: bytes))\n"
        if let authorization { base += "\"authorization\": \(authorization)\n" }
        base += "\"@signature-params\": \(input)"
        let signature = base64(TestCryptography.sign(Array(base.utf8), by: key))
        return ServiceRequest(
            method: "POST", path: host.path + path, host: host.authority,
            fields: [
                ("content-digest", contentDigest(of: bytes)), ("signature-input", "mam=\(input)"),
                ("signature", "mam=:\(signature):"),
            ] + (authorization.map { [("authorization", $0)] } ?? []), body: bytes)
    }

    func checkIn(_ more: JSON.Member..., token: TestToken? = nil) -> ServiceRequest {
        var request = request(
            "/mam/v1/registrations/\(registration)/check-in", .object((message.object ?? []) + more),
            authorization: token.map { "Bearer \($0.text)" })
        request.token = request.accessToken
        return request
    }

    var message: JSON {
        [
            "app": ["id": "notes", "version": "1.0"],
            "host": [
                "deviceTag": "laptop", "platform": "linux", "platformVersion": "12", "libraryVersion": "1",
                "stateGeneration": .integer(state.generation), "stateHead": .string(state.head),
            ],
        ]
    }

    func enrollment(_ code: String) -> ServiceRequest { enrollment(authorization: "MAM-Invite \(code)") }

    func enrollment(
        authorization: String?, upn: String = "ann@contoso.example", replaces: String? = nil
    ) -> ServiceRequest {
        let (x, y) = (base64url(Array(key[1...32])), base64url(Array(key[33...64])))
        let members: [JSON.Member] = [
            ("account", ["upn": .string(upn)]), ("replaces", .optional(replaces)),
            ("key", ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y)]),
            ("sealKey", ["kty": "OKP", "crv": "X25519", "x": .string(base64url([UInt8](repeating: 9, count: 32)))]),
        ]
        return request(
            "/mam/v1/registrations", .object((message.object ?? []) + members), authorization: authorization,
            keyId: thumbprint([("crv", "P-256"), ("kty", "EC"), ("x", x), ("y", y)]))
    }

    /// Enroll, and go on as the registration.
    mutating func enroll() throws {
        let reply = fixture.service.reply(to: enrollment(try fixture.invite()), now: fixture.now)
        registration = try #require(try json(reply)["registration"]?.string)
    }

    func json(_ reply: ServiceReply) throws -> JSON {
        try JSON(parsing: String(decoding: reply.body, as: UTF8.self), limit: 1 << 20)
    }

    /// Whether the authority signed a reply to this very request.
    func isSigned(_ reply: ServiceReply, to request: ServiceRequest) -> Bool {
        func field(_ name: String, _ fields: [(name: String, value: String)]) -> String {
            fields.first { $0.name == name }?.value ?? ""
        }
        let input = field("signature-input", reply.fields).dropFirst(4)
        let base = """
            "@status": \(reply.status)
            "content-digest": \(contentDigest(of: reply.body))
            "@method";req: POST
            "@target-uri";req: \(ServiceAddress(address).origin + request.path)
            "content-digest";req: \(field("content-digest", request.fields))
            "signature-input";req;key="mam": \(field("signature-input", request.fields).dropFirst(4))
            "signature";req;key="mam": \(field("signature", request.fields).dropFirst(4))
            "@signature-params": \(input)
            """
        let text = Array(field("signature", reply.fields).utf8.dropFirst(5).dropLast())
        guard let signature = text.withUnsafeBytes({ try? Base64.decode($0) }) else { return false }
        return fixture.service.signing.verifier.verifies(signature, of: Array(base.utf8))
    }

    /// The refusal in a reply, with "signed" or "unsigned" before it.
    func outcome(_ request: ServiceRequest) throws -> String {
        let gathered = try fixture.gatheredReply(to: request)
        let reply = fixture.service.reply(to: request, now: fixture.now)
        guard isSigned(reply, to: request) else {
            #expect(gathered == nil)
            return "unsigned \(reply.status)"
        }
        let body = try json(reply)
        if let gathered { #expect(try isSigned(gathered, to: request) && json(gathered) == body) }
        let name = body["type"]?.string?.split(separator: "/").last ?? body["result"]?.string.map { $0[...] }
        return "signed \(name ?? "")"
    }
}

@Suite("the app protocol of a service")
struct ProtocolTests {
    @Test("from the enrollment to a wipe and its report, each reply signed for its request")
    func wholeWay() throws {
        let fixture = try ServiceFixture()
        var client = TestClient(fixture: fixture)
        try client.enroll()
        #expect(try client.outcome(client.checkIn()) == "signed changed")
        let other = client.request(
            "/mam/v1/registrations/\(client.registration)/check-in", client.message, created: 1_795_000_001)
        #expect(!client.isSigned(fixture.service.reply(to: client.checkIn(), now: fixture.now), to: other))
        try fixture.administer("wipe.request", ["user": "ann-id"])
        #expect(try client.outcome(client.checkIn()) == "signed wipe")
        let report = client.request(
            "/mam/v1/registrations/\(client.registration)/wipe-report", ["wipe": 8, "reason": "administrator"])
        for _ in 0..<2 { #expect(fixture.service.reply(to: report, now: fixture.now).status == 200) }
        #expect(try client.outcome(client.checkIn()) == "signed wipe")
    }

    /// Changes of a signed check-in, with what comes of each.
    static let changes: [(name: String, expected: String, change: @Sendable (inout ServiceRequest) -> Void)] = [
        ("nothing", "signed changed", { _ in }),
        ("the body", "signed badSignature", { $0.body.append(0x20) }),
        (
            "the body's digest with it", "signed badSignature",
            { request in
                request.body.append(0x20)
                set("content-digest", contentDigest(of: request.body), in: &request)
            }
        ),
        ("the nonce", "signed badSignature", { replace("signature-input", "AAAAAA", "BAAAAA", in: &$0) }),
        ("the time", "signed badSignature", { replace("signature-input", "created=1", "created=2", in: &$0) }),
        ("the key", "signed badSignature", { replace("signature-input", "keyid=\"r-", "keyid=\"s-", in: &$0) }),
        ("the label", "unsigned 400", { replace("signature-input", "mam=", "sig=", in: &$0) }),
        (
            "the order", "unsigned 400",
            { replace("signature-input", "\"@method\" \"@target-uri\"", "\"@target-uri\" \"@method\"", in: &$0) }
        ),
        ("a component less", "unsigned 400", { replace("signature-input", " \"content-digest\"", "", in: &$0) }),
        ("a parameter more", "unsigned 400", { replace("signature-input", ";nonce", ";alg=\"x\";nonce", in: &$0) }),
        (
            "a time that overflows", "unsigned 400",
            { replace("signature-input", "created=", "created=99999999999999999", in: &$0) }
        ),
        ("an unsigned token", "unsigned 400", { $0.fields.append(("authorization", "Bearer x")) }),
        ("a second signature", "unsigned 400", { $0.fields.append(("signature", "mam=:AA==:")) }),
        ("no digest", "unsigned 400", { request in request.fields.removeAll { $0.name == "content-digest" } }),
        ("the path", "unsigned 404", { $0.path += "/" }),
        ("the query", "unsigned 404", { $0.path += "?a=b" }),
        ("the method", "unsigned 405", { $0.method = "PUT" }),
        ("the size", "unsigned 413", { $0.body = [UInt8](repeating: 0x20, count: Service.longestRequest + 1) }),
    ]

    @Test("one change of a request", arguments: changes.indices)
    func oneChange(_ index: Int) throws {
        let (name, expected, change) = ProtocolTests.changes[index]
        var client = TestClient(fixture: try ServiceFixture())
        try client.enroll()
        var request = client.checkIn()
        change(&request)
        #expect(try client.outcome(request) == expected, "\(name)")
    }

    private static func set(_ name: String, _ value: String, in request: inout ServiceRequest) {
        for index in request.fields.indices where request.fields[index].name == name {
            request.fields[index].value = value
        }
    }

    private static func replace(_ name: String, _ old: String, _ new: String, in request: inout ServiceRequest) {
        guard let value = request.fields.first(where: { $0.name == name })?.value, let range = value.firstRange(of: old)
        else { return }
        set(name, value.replacingCharacters(in: range, with: new), in: &request)
    }

    @Test("the clock may differ by five minutes, and the refusal says the service's time")
    func clock() throws {
        var client = TestClient(fixture: try ServiceFixture())
        try client.enroll()
        let (path, now) = (
            "/mam/v1/registrations/\(client.registration)/check-in", ServiceFixture.time.milliseconds / 1000
        )
        for (offset, expected) in [(-300, "changed"), (300, "changed"), (-301, "clockSkew"), (301, "clockSkew")] {
            let request = client.request(path, client.message, created: now + Int64(offset))
            #expect(try client.outcome(request) == "signed \(expected)")
        }
        let late = client.request(path, client.message, created: 0)
        let reply = client.fixture.service.reply(to: late, now: client.fixture.now)
        #expect(try client.json(reply)["time"]?.string == ServiceFixture.time.rfc3339)
    }

    @Test("a registration that there is not is gone, before its signature is judged")
    func unknown() throws {
        let client = TestClient(fixture: try ServiceFixture(), registration: "r-1")
        #expect(try client.outcome(client.checkIn()) == "signed gone")
    }

    @Test("the host chooses among the addresses")
    func addresses() throws {
        var client = TestClient(fixture: try ServiceFixture(), address: "https://mam.example.net")
        try client.enroll()
        #expect(try client.outcome(client.checkIn()) == "signed changed")
        client.address = "https://mam.example.net/contoso"
        #expect(try client.outcome(client.checkIn()) == "unsigned 404")
    }

    @Test("at most 100 refusals a second are signed")
    func manyRefusals() throws {
        let client = TestClient(fixture: try ServiceFixture(), registration: "r-1")
        for _ in 0..<100 { #expect(try client.outcome(client.checkIn()) == "signed gone") }
        #expect(try client.outcome(client.checkIn()) == "unsigned 429")
        client.fixture.now = ServiceFixture.time + .seconds(1)
        #expect(try client.outcome(client.checkIn()) == "signed gone")
    }

    @Test("bodies that are no request are malformed")
    func malformed() throws {
        var client = TestClient(fixture: try ServiceFixture())
        try client.enroll()
        let path = "/mam/v1/registrations/\(client.registration)/check-in"
        let bodies: [JSON] = [
            [], [:], ["app": "notes"], ["app": ["id": "chess"], "host": client.message["host"] ?? .null],
            ["app": ["id": "notes"], "host": ["deviceTag": ""]],
            [
                "app": ["id": "notes"],
                "host": ["deviceTag": "a b", "platform": "", "platformVersion": "", "libraryVersion": ""],
            ],
        ]
        for body in bodies { #expect(try client.outcome(client.request(path, body)) == "signed malformed") }
    }
}
