import MAMMessages
import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

@Suite("an organisation that takes bound tokens only")
struct BoundTokensOnlyTests {
    private let fixture: ServiceFixture
    private let client: TestClient
    private let bound: TestToken

    init() throws {
        fixture = try ServiceFixture(
            signIn: try TestToken.settings([
                "boundTokensOnly": true, "frequency": "P7D", "claims": ["acrs": ["c1"]],
            ]))
        client = TestClient(fixture: fixture)
        bound = TestToken().with([
            "acrs": ["c1"], "cnf": ["jkt": .string(JSONWebKey.thumbprint(p256: TestProof.key))],
        ])
    }

    private func proof(_ token: TestToken, of fixture: ServiceFixture) -> String {
        TestProof(token, fixture, signer: JSONWebKey.thumbprint(p256: client.key)).text()
    }

    /// Why an enrollment is refused, in the signed body, and the field WWW-Authenticate; nil where it is not refused.
    private func refusal(
        _ authorization: String?, _ proofs: [String], at other: ServiceFixture? = nil
    ) throws -> (detail: String?, challenge: String)? {
        let fixture = other ?? fixture
        var request = client.enrollment(authorization: authorization)
        request.fields += proofs.map { ("dpop", $0) }
        request.token = request.accessToken
        let reply = fixture.service.reply(to: request, now: fixture.now)
        guard reply.status == 401 else { return nil }
        let challenge = reply.fields.first { $0.name == "www-authenticate" }?.value ?? ""
        return (try client.json(reply)["detail"]?.string, challenge)
    }

    private func reasons(_ fixture: ServiceFixture) throws -> Set<String> {
        Set((try fixture.administer("signIn.refusals")["refusals"]?.array ?? []).compactMap { $0["reason"]?.string })
    }

    private static let strength =
        #"acr_values="c1", claims="\#(base64url(Array(#"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#.utf8)))""#

    @Test("a bound token enrolls with its proof; a refusal without a token asks for one")
    func enrolls() throws {
        let asked = try #require(try refusal(nil, []))
        #expect(asked.detail == "")
        #expect(asked.challenge == "DPoP \(BoundTokensOnlyTests.strength), algs=\"ES256\", MAM-Invite")
        #expect(try refusal("DPoP \(bound.text)", [proof(bound, of: fixture)]) == nil)
        // Invitations go on.
        let invited = client.enrollment(authorization: "MAM-Invite \(try fixture.invite())")
        #expect(try client.outcome(invited) == "signed ")
    }

    @Test("a token that is bound to no key is refused, also with a proof, before anything else about it is judged")
    func unbound() throws {
        let proof = proof(bound, of: fixture)
        let tokens = [
            bound.with(["cnf": nil]), bound.with(["cnf": ["x5t#S256": "x"]]), bound.with(["cnf": .null]),
            bound.with(["cnf": nil, "acrs": nil]),
        ]
        for token in tokens {
            for (scheme, proofs) in [("Bearer", []), ("DPoP", [proof]), ("DPoP", [])] {
                let refused = try #require(try refusal("\(scheme) \(token.text)", proofs))
                #expect(refused.detail == TokenRefusal.notBound.detail)
                #expect(refused.challenge.hasPrefix(#"DPoP error="invalid_token", acr_values="c1","#))
                #expect(!refused.challenge.contains("Bearer"))
            }
        }
        #expect(try reasons(fixture) == ["notBound"])
    }

    @Test("a missing or a wrong proof is named in the challenge, whether others are taken or not")
    func proofs() throws {
        let both = try ServiceFixture(signIn: try TestToken.settings(["claims": ["acrs": ["c1"]]]))
        for other in [fixture, both] {
            let cases: [(scheme: String, proofs: [String], reason: TokenRefusal)] = [
                ("Bearer", [], .boundToKey), ("DPoP", [], .badProof), ("DPoP", ["x"], .badProof),
            ]
            for (scheme, proofs, reason) in cases {
                let refused = try #require(try refusal("\(scheme) \(bound.text)", proofs, at: other))
                #expect(refused.detail == reason.detail)
                #expect(refused.challenge.contains(#"DPoP error="invalid_dpop_proof", "#))
                #expect(refused.challenge.hasSuffix(#"algs="ES256", MAM-Invite"#))
                #expect(refused.challenge.contains("Bearer") == (other === both))
            }
            #expect(try reasons(other) == ["boundToKey", "badProof"])
        }
    }

    @Test("it is a setting of the provider, which apps read")
    func setting() throws {
        #expect(try TestToken.settings(["boundTokensOnly": true]).json["boundTokensOnly"] == true)
        #expect(try TestToken.settings(["boundTokensOnly": false]).json["boundTokensOnly"] == nil)
        #expect(try !TestToken.settings().boundTokensOnly)
        for wrong: JSON in ["true", 1, []] {
            #expect(throws: MAMError.self) { try TestToken.settings(["boundTokensOnly": wrong]) }
        }
    }
}
