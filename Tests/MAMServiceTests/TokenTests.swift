import MAMMessages
import MAMSupport
import Testing

@testable import MAMDirectory
@testable import MAMService

extension [JSON.Member] {
    /// With members instead of others; nil for none.
    fileprivate func with(_ changed: KeyValuePairs<String, JSON?>) -> [JSON.Member] {
        filter { member in !changed.contains { $0.key == member.key } }
            + changed.compactMap { key, value in value.map { (key, $0) } }
    }
}

/// Makes tokens as a provider does; their signatures are for mamd to verify, and none here.
struct TestToken {
    static let issuer = "https://login.example.org/contoso"
    static let seconds = ServiceFixture.time.milliseconds / 1000

    var header: [JSON.Member] = [("typ", "at+jwt"), ("alg", "RS256"), ("kid", "key-1")]
    var claims: [JSON.Member] = [
        ("iss", .string(TestToken.issuer)), ("aud", "https://mam.example.org"), ("client_id", "libmam"),
        ("scope", "openid mam.enroll"), ("sub", "s-1"), ("email", "ann@contoso.example"), ("email_verified", true),
        ("iat", .integer(TestToken.seconds - 10)), ("exp", .integer(TestToken.seconds + 600)),
    ]

    /// With claims instead of others; nil for none.
    func with(_ changed: KeyValuePairs<String, JSON?>) -> TestToken {
        var token = self
        token.claims = claims.with(changed)
        return token
    }

    func headed(_ changed: KeyValuePairs<String, JSON?>) -> TestToken {
        var token = self
        token.header = header.with(changed)
        return token
    }

    var text: String {
        [JSON.object(header).utf8, JSON.object(claims).utf8, [1, 2, 3]].map(base64url).joined(separator: ".")
    }

    static func settings(_ changed: KeyValuePairs<String, JSON?> = [:]) throws -> SignInSettings {
        let members: [JSON.Member] = [
            ("issuer", .string(issuer)), ("audiences", ["https://mam.example.org"]), ("clientIds", ["libmam", "host"]),
            ("scopes", ["mam.enroll"]), ("accountClaim", "email"),
        ]
        return try SignInSettings(.object(members.with(changed)))
    }

    /// The person's name, or the reason for which there is none.
    func outcome() throws -> String {
        let token: AccessToken
        do throws(TokenRefusal) { token = try AccessToken(text) } catch { return error.rawValue }
        guard token.text == text else { return "another text" }
        switch try TestToken.settings().judge(token, now: ServiceFixture.time) {
        case .failure(let refusal): return refusal.rawValue
        case .success(let person):
            switch person.name {
            case .failure(let refusal): return "\(person.subject): \(refusal.rawValue)"
            case .success(let name): return "\(person.subject): \(name)"
            }
        }
    }
}

@Suite("access tokens")
struct TokenTests {
    private static let ann = "s-1: ann@contoso.example"

    @Test("a token that counts names its person")
    func counts() throws {
        let token = TestToken()
        #expect(try token.outcome() == TokenTests.ann)
        for typ in ["JWT", "at+JWT", "application/at+jwt"] as [JSON] {
            #expect(try token.headed(["typ": typ]).outcome() == TokenTests.ann)
        }
        #expect(try token.headed(["typ": nil]).outcome() == TokenTests.ann)
        for algorithm in ["ES256", "EdDSA"] as [JSON] {
            #expect(try token.headed(["alg": algorithm]).outcome() == TokenTests.ann)
        }
        // As several providers write them.
        #expect(try token.with(["aud": ["other", "https://mam.example.org"]]).outcome() == TokenTests.ann)
        #expect(try token.with(["scope": nil, "scp": ["mam.enroll"]]).outcome() == TokenTests.ann)
        #expect(try token.with(["scope": nil, "scp": "a mam.enroll"]).outcome() == TokenTests.ann)
        for client in ["azp", "appid", "cid"] {
            var other = token.with(["client_id": nil])
            other.claims.append((client, "host"))
            #expect(try other.outcome() == TokenTests.ann)
        }
    }

    @Test("headers that are refused")
    func headers() throws {
        let token = TestToken()
        let table: [(KeyValuePairs<String, JSON?>, String)] = [
            (["alg": "none"], "algorithm"), (["alg": "HS256"], "algorithm"), (["alg": "RS512"], "algorithm"),
            (["alg": "rs256"], "algorithm"), (["alg": 1], "algorithm"), (["alg": nil], "algorithm"),
            (["alg": ["RS256"]], "algorithm"), (["kid": nil], "malformed"), (["kid": ""], "malformed"),
            (["kid": 1], "malformed"), (["kid": .string(String(repeating: "k", count: 257))], "malformed"),
            (["crit": ["exp"]], "malformed"), (["b64": false], "malformed"), (["typ": "logout+jwt"], "notAccessToken"),
            (["typ": "dpop+jwt"], "notAccessToken"), (["typ": 1], "notAccessToken"),
        ]
        for (changed, reason) in table { #expect(try token.headed(changed).outcome() == reason, "\(changed)") }
    }

    @Test("claims that are refused, missing or of another type")
    func claims() throws {
        let now = TestToken.seconds
        let table: [(KeyValuePairs<String, JSON?>, String)] = [
            (["iss": "https://login.example.org"], "wrongIssuer"), (["iss": nil], "wrongIssuer"),
            (["iss": [.string(TestToken.issuer)]], "wrongIssuer"),
            (["iss": .string(TestToken.issuer + "/")], "wrongIssuer"),
            (["at_hash": "x"], "notAccessToken"), (["c_hash": "x"], "notAccessToken"),
            (["typ": "ID"], "notAccessToken"), (["token_use": "id"], "notAccessToken"),
            (["scope": nil], "notAccessToken"), (["aud": "libmam"], "wrongAudience"), (["aud": nil], "wrongAudience"),
            (["aud": []], "wrongAudience"), (["aud": 1], "wrongAudience"),
            (["aud": ["https://mam.example.org", 1]], "wrongAudience"),
            (["aud": "https://mam.example.org.evil"], "wrongAudience"),
            (["client_id": "other"], "wrongClient"), (["client_id": nil], "wrongClient"),
            (["client_id": ["libmam"]], "wrongClient"), (["azp": "other"], "wrongClient"),
            (["azp": .null], "wrongClient"), (["scope": "openid"], "missingScope"),
            (["scope": "mam.enrollment"], "missingScope"), (["scope": 1], "missingScope"),
            (["exp": .integer(now - 60)], "expired"), (["exp": .decimal("-1e300")], "expired"),
            (["exp": nil], "malformed"), (["exp": "2030-01-01"], "malformed"), (["exp": true], "malformed"),
            (["nbf": .integer(now + 61)], "notYetValid"), (["nbf": "soon"], "malformed"),
            (["iat": .integer(now + 61)], "notYetValid"), (["iat": .null], "malformed"), (["sub": nil], "malformed"),
            (["sub": ""], "malformed"), (["sub": 7], "malformed"),
            (["sub": .string(String(repeating: "s", count: 256))], "malformed"),
            (["email": nil], "s-1: noAccount"), (["email": ["ann@contoso.example"]], "s-1: noAccount"),
            (["email": nil, "preferred_username": "ann@contoso.example"], "s-1: noAccount"),
            (["email_verified": nil], "s-1: emailNotVerified"), (["email_verified": false], "s-1: emailNotVerified"),
            (["email_verified": "true"], "s-1: emailNotVerified"), (["oid": 1], "s-1: noAccount"),
            // Within the difference of clocks, and with the claims that count.
            (["exp": .integer(now - 59)], TokenTests.ann), (["nbf": .integer(now + 60)], TokenTests.ann),
            (["exp": .decimal("\(now).5")], TokenTests.ann), (["oid": "ann-id"], "s-1: ann-id"),
        ]
        for (changed, outcome) in table { #expect(try TestToken().with(changed).outcome() == outcome, "\(changed)") }
    }

    @Test("texts that are no token")
    func texts() throws {
        let text = TestToken().text
        let parts = text.split(separator: ".").map(String.init)
        let twice = base64url(Array(#"{"iss":"a","iss":"b"}"#.utf8))
        let others = [
            "", ".", "..", "x", parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".", text + ".",
            text + "=", " " + text, text + "\n", parts[0] + "." + twice + "." + parts[2],
            base64url(Array(#"{"alg":"none","alg":"RS256","kid":"key-1"}"#.utf8)) + "." + parts[1] + "." + parts[2],
            base64url([0x5B, 0x5D]) + "." + parts[1] + "." + parts[2],
            parts[0] + "." + base64url([0xFF, 0xFE]) + "." + parts[2],
            TestToken().with(["padding": .string(String(repeating: "x", count: 8192))]).text,
            String(repeating: "[", count: 8000),
        ]
        for text in others {
            #expect(throws: TokenRefusal.malformed, "\(text.prefix(80))") { try AccessToken(text) }
        }
    }

    @Test("settings that are refused by their member")
    func settings() throws {
        let table: [(KeyValuePairs<String, JSON?>, String)] = [
            (["issuer": "http://login.example.org"], "issuer"), (["issuer": "https://"], "issuer"),
            (["issuer": "https://a?b"], "issuer"), (["issuer": 1], "issuer"), (["audiences": []], "audiences"),
            (["audiences": "x"], "audiences"), (["clientIds": [""]], "clientIds"), (["scopes": [1]], "scopes"),
            (["accountClaim": "preferred_username"], "accountClaim"), (["accountclaim": "email"], "accountclaim"),
            (["claims": []], "signIn.claims"), (["claims": [:]], "signIn.claims"),
            (["claims": ["acr": "c1"]], "signIn.claims.acr"), (["claims": ["acr": []]], "signIn.claims.acr"),
            (["claims": ["acr": [1]]], "signIn.claims.acr"), (["claims": ["acr": ["a b"]]], "signIn.claims.acr"),
            (["claims": ["acr": ["a\""]]], "signIn.claims.acr"), (["claims": ["aud": ["x"]]], "\"aud\""),
            (["claims": ["": ["x"]]], "signIn.claims"), (["maxAge": "PT1S"], "signIn.maxAge"),
            (["maxAge": 3600], "signIn.maxAge"),
        ]
        for (changed, named) in table {
            let error = #expect(throws: MAMError.self) { try TestToken.settings(changed) }
            #expect(error?.message.contains(named) == true, "\(error?.message ?? "")")
        }
        #expect(try TestToken.settings().metadataURL == TestToken.issuer + "/.well-known/openid-configuration")
    }

    @Test("keys are read one by one; those for other uses and algorithms are left out")
    func keys() throws {
        let (n, x) = (base64url([UInt8](repeating: 200, count: 256)), base64url([UInt8](repeating: 7, count: 32)))
        func rsa(_ kid: JSON, _ more: JSON.Member...) -> JSON {
            .object([("kty", "RSA"), ("kid", kid), ("n", .string(n)), ("e", "AQAB")] + more)
        }
        let set: JSON = [
            "keys": [
                rsa("rsa"), rsa("rsa", ("use", "sig")), rsa(1), rsa(""), rsa("enc", ("use", "enc")),
                rsa("hmac", ("alg", "HS256")), rsa("pss", ("alg", "PS256")), rsa("ops", ("key_ops", ["encrypt"])),
                ["kty": "oct", "kid": "oct", "k": "AAAA"], ["kty": "RSA", "kid": "short", "n": "AQAB", "e": "AQAB"],
                ["kty": "EC", "crv": "P-256", "kid": "ec", "x": .string(x), "y": .string(x), "alg": "ES256"],
                ["kty": "EC", "crv": "P-384", "kid": "ec384", "x": .string(x), "y": .string(x)],
                ["kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": .string(x), "key_ops": ["verify"]],
                ["kty": "OKP", "crv": "X25519", "kid": "x", "x": .string(x)], 7, [:],
            ]
        ]
        let keys = ProviderKey.keys(ofSet: set)
        #expect(keys.map { "\($0.keyId) \($0.algorithm.rawValue)" } == ["rsa RS256", "ec ES256", "ed EdDSA"])
        for json in [[], [:], ["keys": [:]], ["keys": "x"]] as [JSON] { #expect(ProviderKey.keys(ofSet: json).isEmpty) }
    }

    @Test("metadata count for their own issuer, with keys over https")
    func metadata() throws {
        let settings = try TestToken.settings()
        let issuer = JSON.string(TestToken.issuer)
        let url = "https://keys.example"
        #expect(settings.keysURL(inMetadata: ["issuer": issuer, "jwks_uri": .string(url)]) == url)
        let others: [JSON] = [
            ["issuer": "https://other.example", "jwks_uri": "https://k.example"], ["issuer": issuer], [],
            ["issuer": issuer, "jwks_uri": "http://k.example"], ["issuer": issuer, "jwks_uri": 1],
            ["issuer": issuer, "jwks_uri": "https://k.example\u{0}"],
        ]
        for json in others { #expect(settings.keysURL(inMetadata: json) == nil) }
    }
}
