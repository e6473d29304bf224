import MAMMessages
import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

/// Demands on the way in which a person signs in: RFC 9470.
@Suite struct StrengthTests {
    private static let (now, hour): (Int64, Int64) = (TestToken.seconds, 3600)

    @Test("a token counts with one value of each claim, and a sign-in that is not too long ago")
    func claims() throws {
        let settings = try TestToken.settings(["claims": ["acrs": ["c1", "c2"], "amr": ["mfa"]], "maxAge": "PT1H"])
        let good = TestToken().with(["acrs": ["c2"], "amr": ["pwd", "mfa"], "auth_time": .integer(StrengthTests.now)])
        let (now, hour) = (StrengthTests.now, StrengthTests.hour)
        let table: [(KeyValuePairs<String, JSON?>, Bool)] = [
            ([:], true), (["acrs": "c1"], true), (["acrs": ["x", "c1", 7]], true), (["acrs": nil], false),
            (["acrs": []], false), (["acrs": "c3"], false), (["acrs": ["c3", "C1"]], false), (["acrs": 1], false),
            (["acrs": "c1 c2"], false), (["acr": "c1", "acrs": nil], false), (["amr": nil], false),
            (["amr": "pwd"], false), (["amr": .null], false), (["auth_time": nil], false),
            (["auth_time": .string("\(now)")], false), (["auth_time": .integer(now - hour)], true),
            (["auth_time": .integer(now - hour - 59)], true), (["auth_time": .integer(now - hour - 60)], false),
            (["auth_time": .integer(now + 61)], false), (["auth_time": .decimal("-1e300")], false),
        ]
        for (changed, counts) in table {
            let token = try AccessToken(good.with(changed).text)
            var refusal: TokenRefusal?
            if case .failure(let found) = settings.judge(token, now: ServiceFixture.time) { refusal = found }
            #expect(refusal == (counts ? nil : .insufficientAuthentication), "\(changed)")
        }
        // Other refusals come first.
        let expired = try AccessToken(good.with(["acrs": nil, "exp": .integer(now - 60)]).text)
        #expect(settings.judge(expired, now: ServiceFixture.time) == .failure(.expired))
    }

    /// The challenge and the body's members of a refusal.
    private func refused(
        _ fixture: ServiceFixture, _ token: TestToken?
    ) throws -> (challenge: String, body: JSON, isSigned: Bool) {
        let client = TestClient(fixture: fixture)
        let request = try client.enrollment(token: token)
        let reply = fixture.service.reply(to: request, now: fixture.now)
        #expect(reply.status == 401)
        let challenge = reply.fields.first { $0.name == "www-authenticate" }?.value ?? ""
        return (challenge, try client.json(reply), client.isSigned(reply, to: request))
    }

    @Test("a refusal names what to ask the provider for, signed, whether there was a token or none")
    func demands() throws {
        let fixture = try ServiceFixture(
            signIn: try TestToken.settings(["claims": ["acrs": ["c1"]], "maxAge": "PT1H"]))
        let claims =
            #"{"access_token":{"acrs":{"essential":true,"value":"c1"},"auth_time":{"essential":true}}}"#
        let parameters =
            #"acr_values="c1", max_age="3600", claims="\#(base64url(Array(claims.utf8)))", DPoP algs="ES256", MAM-Invite"#
        let first = try refused(fixture, nil)
        #expect(first.challenge == "Bearer " + parameters)
        let second = try refused(fixture, TestToken())
        #expect(second.challenge == #"Bearer error="insufficient_user_authentication", "# + parameters)
        let expired = try refused(fixture, TestToken().with(["exp": 1]))
        #expect(expired.challenge == "Bearer " + parameters)
        for one in [first, second, expired] {
            #expect(one.isSigned && one.body["claims"] == .string(claims) && one.body["maxAge"] == 3600)
        }
        #expect(try JSON(parsing: claims)["access_token"]?["acrs"]?["value"] == "c1")
        let refusals = try fixture.administer("signIn.refusals")["refusals"]?.array ?? []
        #expect(refusals.contains { $0["reason"] == "insufficientAuthentication" })
        let client = TestClient(fixture: fixture)
        let strong = TestToken.fresh(fixture).with(["acrs": ["c1"]])
        #expect(try client.outcome(client.enrollment(token: strong)) == "signed ")
    }

    @Test("several values are asked for as such; without demands there are none")
    func others() throws {
        let several = try TestToken.settings(["claims": ["acr": ["silver", "gold"]]])
        let claims = #"{"access_token":{"acr":{"essential":true,"values":["silver","gold"]}}}"#
        #expect(several.strength.members.map { "\($0.key) \($0.value.string ?? "")" } == ["claims \(claims)"])
        #expect(several.strength.parameters(isInsufficient: false).contains(#"acr_values="silver gold""#))
        let fixture = try ServiceFixture(signIn: try TestToken.settings())
        let plain = try refused(fixture, nil)
        #expect(plain.challenge == #"Bearer, DPoP algs="ES256", MAM-Invite"#)
        #expect(plain.body["claims"] == nil && plain.body["maxAge"] == nil)
        #expect(try refused(try ServiceFixture(), nil).challenge == "MAM-Invite")
    }

    @Test("a check-in whose sign-in is over asks for the same")
    func checkIn() throws {
        let fixture = try ServiceFixture(
            signIn: try TestToken.settings(["claims": ["acrs": ["c1"]], "maxAge": "PT1H", "frequency": "P7D"]))
        func strong() -> TestToken { TestToken.fresh(fixture).with(["acrs": ["c1"]]) }
        var client = TestClient(fixture: fixture)
        let reply = fixture.service.reply(to: try client.enrollment(token: strong()), now: fixture.now)
        client.registration = try #require(try client.json(reply)["registration"]?.string)
        #expect(try client.outcome(client.checkIn()) == "signed changed")
        let former = strong()
        fixture.now = fixture.now + .days(8)
        let asked = try client.json(fixture.service.reply(to: client.checkIn(), now: fixture.now))
        #expect(asked["claims"]?.string?.contains("acrs") == true)
        #expect(try client.outcome(client.checkIn(token: former)) == "signed needsToken")
        // A token that was given out silently: the person has not signed in since.
        let silent = strong().with(["auth_time": .integer(StrengthTests.now)])
        #expect(try client.outcome(client.checkIn(token: silent)) == "signed needsToken")
        #expect(try client.outcome(client.checkIn(token: TestToken.fresh(fixture))) == "signed needsToken")
        #expect(try client.outcome(client.checkIn(token: strong())) == "signed changed")
    }
}
