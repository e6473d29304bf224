import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMService
@testable import MAMSession

/// Tokens that the provider binds to a key of the sign-in (DPoP, RFC 9449).
struct BindingTests {
    let made: NetworkSession
    var provider: FakeProvider { made.service.provider }

    init() throws {
        made = try NetworkSession(
            worker: false, signIn: true, provider: [("frequency", "P7D"), ("refresh", true)])
        made.signsIn = true
        let provider = made.service.provider
        provider.metadata = .object(
            (FakeProvider.metadata.object ?? []) + [("dpop_signing_alg_values_supported", ["RS256", "ES256"])])
        provider.isBinding = true
        provider.polls = [FakeProvider.granted(FakeProvider.token, refresh: FakeProvider.refreshToken)]
    }

    /// The requests to the service that bring a token.
    private var brought: [TransportRequest] {
        made.service.requests.filter { request in
            request.fields.contains { $0.name == "authorization" && !$0.value.hasPrefix("MAM") }
        }
    }

    private func scheme(_ request: TransportRequest?) -> String? {
        request?.fields.first { $0.name == "authorization" }?.value.split(separator: " ").first.map(String.init)
    }

    @Test func aBoundTokenEnrolls() throws {
        defer { made.end() }
        try made.enroll()
        let proof = try #require(provider.proofs.last)
        #expect(proof.claims["htm"] == "POST" && proof.claims["htu"]?.string == FakeProvider.issuer + "/token")
        #expect(proof.claims["ath"] == nil && proof.claims[KeyProof.signer] == nil)
        let request = try #require(brought.last)
        #expect(scheme(request) == "DPoP")
        let shown = try #require(SeenProof(request))
        #expect(shown.thumbprint == proof.thumbprint, "the key is the sign-in's")
        #expect(shown.claims["htu"]?.string == request.url && shown.claims["jti"] != proof.claims["jti"])
        #expect(try made.service.administer("signIn.refusals")["refusals"] == [])
    }

    /// The refresh token is bound to the same key, which the state keeps with it.
    @Test func aRenewedSignInHasTheSameKey() throws {
        defer { made.end() }
        try made.enroll()
        for number in 1...2 {
            made.advance(.days(8))
            made.forgetDelivery()
            #expect([.policiesHaveNotChanged, .newPoliciesReceived].contains(try made.checkIn()))
            #expect(made.invited == 1 && provider.refreshes == (number, 0))
            #expect(scheme(brought.last) == "DPoP")
        }
        #expect(
            Set(provider.proofs.map(\.thumbprint) + brought.compactMap(SeenProof.init).map(\.thumbprint)).count == 1)
    }

    /// The provider wants its nonce in the proof, and says so once.
    @Test func aNonceOfTheProvidersIsUsed() throws {
        defer { made.end() }
        provider.nonce = "nonce-1"
        try made.enroll()
        #expect(provider.proofs.map { $0.claims["nonce"]?.string } == [nil, "nonce-1"])
        provider.nonce = "nonce-2"
        made.advance(.days(8))
        made.forgetDelivery()
        #expect([.policiesHaveNotChanged, .newPoliciesReceived].contains(try made.checkIn()))
        #expect(made.invited == 1 && provider.refreshes == (1, 0), "the token was used once")
    }

    @Test func nothingIsRepeatedForEver() throws {
        defer { made.end() }
        provider.isBinding = false
        provider.polls = [FakeProvider.refused("use_dpop_nonce")]
        let operation = try made.session.registrations.registerAndEnroll(["upn": "ann@contoso.example"])
        #expect(try made.code(operation) == .adalInternalError)
        #expect(provider.forms("/token").count == 1, "there is no nonce to repeat it with")
    }

    /// A service, or something before it, may want its nonce in the proof, too.
    @Test(arguments: [
        #"DPoP error="use_dpop_nonce", error_description="a, nonce""#,
        #"Bearer realm="a", dpop algs="ES256", error=use_dpop_nonce"#,
    ])
    func aNonceOfTheServicesIsUsed(_ challenge: String) throws {
        defer { made.end() }
        made.service.tamper = { (request, reply) throws(TransportFailure) in
            guard let proof = SeenProof(request), proof.claims["nonce"] != "nonce-1" else { return reply }
            return TransportReply(
                status: 401, fields: [("www-authenticate", challenge), ("dpop-nonce", "nonce-1")], body: [])
        }
        try made.enroll()
        #expect(brought.map { SeenProof($0)?.claims["nonce"]?.string } == [nil, "nonce-1"])
    }

    @Test(arguments: [
        (401, #"DPoP error="use_dpop_nonce""#, "always-another", 2), (401, #"DPoP error="use_dpop_nonce""#, "", 1),
        (401, #"DPoP error="invalid_token""#, "nonce", 1), (401, #"Bearer error="use_dpop_nonce""#, "nonce", 1),
        (401, #"Bearer x="DPoP error=\"use_dpop_nonce\"", y="z, DPoP error=use_dpop_nonce""#, "nonce", 1),
        (400, #"DPoP error="use_dpop_nonce""#, "nonce", 1),
    ])
    func aServiceThatIsNeverContentIsNotAskedForEver(
        _ status: Int, _ challenge: String, _ nonce: String, _ sent: Int
    ) throws {
        defer { made.end() }
        made.service.tamper = { (request, reply) throws(TransportFailure) in
            guard SeenProof(request) != nil else { return reply }
            return TransportReply(
                status: status, fields: [("www-authenticate", challenge), ("dpop-nonce", nonce)], body: [])
        }
        let operation = try made.session.registrations.registerAndEnroll(["upn": "ann@contoso.example"])
        #expect(try made.code(operation) == .enrollmentEndPointNetworkFailure)
        #expect(brought.count == sent)
    }

    /// A provider may state its challenge in the header alone.
    @Test func aChallengeInTheHeaderIsAnswered() throws {
        defer { made.end() }
        (provider.nonce, provider.challengesInHeader) = ("nonce-1", true)
        try made.enroll()
        #expect(provider.proofs.map { $0.claims["nonce"]?.string } == [nil, "nonce-1"])
    }

    /// Some providers offer to bind tokens, and do not do so for this client.
    @Test func aBearerTokenIsSentAsOne() throws {
        defer { made.end() }
        provider.isBinding = false
        try made.enroll()
        #expect(provider.proofs.count == 1)
        #expect(scheme(brought.last) == "Bearer" && brought.last.flatMap(SeenProof.init) == nil)
    }

    /// Nobody gives out a bound token without a key.
    @Test func aBoundTokenThatNobodyAskedForIsNotSent() throws {
        defer { made.end() }
        provider.metadata = FakeProvider.metadata
        provider.isBinding = false
        provider.polls = [(200, ["access_token": .string(FakeProvider.token), "token_type": "DPoP"])]
        let operation = try made.session.registrations.registerAndEnroll(["upn": "ann@contoso.example"])
        #expect(try made.code(operation) == .adalInternalError)
        #expect(provider.proofs.isEmpty && brought.isEmpty)
    }

    /// Whoever reads the traffic and enrolls as another computer cannot use token and proof of a request.
    @Test func aRequestOfAnotherKeyCannotUseTheProof() throws {
        defer { made.end() }
        try made.enroll()
        let request = try #require(brought.last)
        let stolen = request.fields.filter { ["authorization", "dpop"].contains($0.name) }
        var thief = TestApp(try made.service.client())
        made.service.swap = { request in
            guard request.url.hasSuffix("/registrations") else { return request }
            let fields = request.fields.filter { $0.name != "dpop" } + stolen.filter { $0.name == "dpop" }
            return TransportRequest(method: request.method, url: request.url, fields: fields, body: request.body)
        }
        let text = try #require(stolen.first { $0.name == "authorization" }).value.dropFirst("DPoP ".count)
        let token = try SecretBytes(copyingText: String(text))
        for key in [nil, try RequestKey()] {
            #expect(throws: AuthorityFailure.self) {
                thief.enrollment = try thief.authority.enroll(
                    AccountName(upn: "ann@contoso.example"), app: thief.app, host: thief.host, marks: WipeMarks(),
                    token: token, boundTo: key, cause: .host)
            }
        }
        let refusals = try made.service.administer("signIn.refusals")["refusals"]?.array ?? []
        #expect(Set(refusals.compactMap { $0["reason"]?.string }) == ["boundToKey", "badProof"])
    }
}
