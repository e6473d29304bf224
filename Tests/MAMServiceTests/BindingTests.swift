import MAMMessages
import MAMProtection
import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

@Suite("tokens that are bound to a key")
struct BindingTests {
    private let fixture: ServiceFixture
    private let client: TestClient
    private let token: TestToken
    private let signer: String
    private var proof: TestProof { TestProof(token, fixture, signer: signer) }

    init() throws {
        fixture = try ServiceFixture(signIn: try TestToken.settings(["frequency": "P7D"]))
        client = TestClient(fixture: fixture)
        signer = JSONWebKey.thumbprint(p256: client.key)
        let key = [4] + [UInt8](repeating: 11, count: 64)
        token = TestToken().with(["cnf": ["jkt": .string(JSONWebKey.thumbprint(p256: key))]])
    }

    /// The outcome of an enrollment, with the reason that is recorded for a refusal.
    private func outcome(
        _ token: TestToken, _ proofs: [String], scheme: String = "DPoP", key: UInt8? = nil
    ) throws -> String {
        var client = client
        if let key { client.key = [4] + [UInt8](repeating: key, count: 64) }
        var request = client.enrollment(authorization: "\(scheme) \(token.text)")
        request.fields += proofs.map { ("dpop", $0) }
        request.token = request.accessToken
        let outcome = try client.outcome(request)
        guard outcome != "signed " else { return "enrolled" }
        let reasons = try fixture.administer("signIn.refusals")["refusals"]?.array ?? []
        return "\(outcome) \(reasons.compactMap { $0["reason"]?.string }.joined(separator: " "))"
    }

    @Test("a bound token enrolls with the proof of its key")
    func enrolls() throws { #expect(try outcome(token, [proof.text()]) == "enrolled") }

    @Test("a bound token is no bearer token, and the other way round")
    func schemes() throws {
        #expect(try outcome(token, [proof.text()], scheme: "Bearer") == "signed needsToken boundToKey")
        #expect(try outcome(token, [], scheme: "Bearer") == "signed needsToken boundToKey")
    }

    @Test("a token with another confirmation is no bearer token")
    func otherConfirmations() throws {
        for confirmation: JSON in [["x5t#S256": "x"], [:], .null, "x"] {
            let other = TestToken().with(["cnf": confirmation])
            #expect(try outcome(other, [], scheme: "Bearer") == "signed needsToken boundToKey")
        }
    }

    @Test("a token that is not bound is not taken with a proof")
    func unbound() throws {
        let plain = TestToken()
        let text = TestProof(plain, fixture, signer: signer).text()
        #expect(try outcome(plain, [text]) == "signed needsToken badProof")
    }

    private static let changes: [KeyValuePairs<String, JSON?>] = [
        ["htm": "GET"], ["htm": "post"], ["htm": nil], ["htu": "https://mam.example.org/contoso/mam/v1/registrations/"],
        ["htu": "https://other.example.org/contoso/mam/v1/registrations"], ["htu": nil], ["htu": 1],
        ["ath": "x"], ["ath": nil], ["jti": nil], ["jti": ""], ["jti": 1], ["mam_key": nil], ["mam_key": "x"],
        ["iat": nil], ["iat": "now"], ["iat": .integer(TestToken.seconds - 301)],
        ["iat": .integer(TestToken.seconds + 301)], ["iat": .decimal("1e999")],
    ]

    @Test("a claim of the proof that is not for this request", arguments: changes.indices)
    func claims(_ index: Int) throws {
        let changed = BindingTests.changes[index]
        #expect(try outcome(token, [proof.with(changed).text()]) == "signed needsToken badProof", "\(changed)")
    }

    @Test("a proof within five minutes counts")
    func times() throws {
        for seconds: Int64 in [-300, 300] {
            let text = proof.with(["iat": .integer(TestToken.seconds + seconds)]).text()
            #expect(try outcome(token, [text]) == "enrolled")
        }
    }

    @Test("a proof that is none, by another key, or not one")
    func forms() throws {
        var other = proof
        other.key = [4] + [UInt8](repeating: 12, count: 64)
        let (x, y) = (base64url([UInt8](repeating: 11, count: 32)), base64url([UInt8](repeating: 11, count: 32)))
        let secret: JSON = ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y), "d": .string(x)]
        let short: JSON = ["kty": "EC", "crv": "P-256", "x": .string(x), "y": "AQ"]
        var headers: [String] = []
        for (name, value): (String, JSON) in [
            ("typ", "jwt"), ("typ", "at+jwt"), ("alg", "none"), ("alg", "HS256"), ("alg", "RS256"), ("crit", ["exp"]),
        ] {
            var changed = proof
            changed.header = changed.header.filter { $0.key != name } + [(name, value)]
            headers.append(changed.text())
        }
        let good = proof.text()
        let table: [[String]] =
            [
                [], [good, good], [""], ["x"], ["a.b.c"], [good + "."], [good + "x"], [other.text()],
                [proof.text(damaged: true)], [proof.text(jwk: secret)], [proof.text(jwk: short)],
                [proof.text(jwk: "x")], [proof.text(jwk: TestProof.jwk(other.key))], [token.text],
                [proof.with(["long": .string(String(repeating: "x", count: 5000))]).text()],
            ] + headers.map { [$0] }
        for proofs in table {
            #expect(try outcome(token, proofs) == "signed needsToken badProof", "\(proofs.map { $0.prefix(40) })")
        }
        #expect(try outcome(token, [good]) == "enrolled")
    }

    @Test("token and proof of one request do not enroll another key")
    func stolen() throws {
        #expect(try outcome(token, [proof.text()]) == "enrolled")
        #expect(try outcome(token, [proof.text()], key: 8) == "signed needsToken badProof")
    }

    @Test("a check-in whose sign-in is over takes a bound token")
    func checkIn() throws {
        var client = client
        var request = client.enrollment(authorization: "DPoP \(token.text)")
        request.fields.append(("dpop", proof.text()))
        request.token = request.accessToken
        let reply = fixture.service.reply(to: request, now: fixture.now)
        client.registration = try #require(try client.json(reply)["registration"]?.string)
        fixture.now = fixture.now + .days(8)
        let now = fixture.now.milliseconds / 1000
        let fresh = token.with(["iat": .integer(now), "exp": .integer(now + 600)])
        let path = "/mam/v1/registrations/\(client.registration)/check-in"
        for (signer, expected) in [("x", "signed needsToken"), (signer, "signed changed")] {
            let proof = TestProof(fresh, fixture, signer: signer, path: path)
            var request = client.request(path, client.message, authorization: "DPoP \(fresh.text)")
            request.fields.append(("dpop", proof.text()))
            request.token = request.accessToken
            #expect(try client.outcome(request) == expected)
        }
    }
}
