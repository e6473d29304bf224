import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport
import Testing

@testable import MAMAuthority
@testable import MAMService

/// An OpenID provider in this process, whose replies a test decides.
final class FakeProvider: Transport {
    static let issuer = "https://login.example.org/contoso"
    static let deviceCode = "device-code-that-is-secret"
    static let userCode = "BCDF-GHJK"

    typealias Answer = (status: Int, json: JSON)
    private struct Contents {
        var metadata = FakeProvider.metadata
        var begun = FakeProvider.begun
        /// The answers to polls; the last one stays.
        var polls: [Answer] = [FakeProvider.pending]
        var failure: TransportFailure?
        var requests: [TransportRequest] = []
        /// The refresh token that counts now.
        var refreshToken = FakeProvider.refreshToken
        var refreshed = 0
        /// How often a token was used that was used up.
        var replays = 0
        /// The answer to every use of a refresh token; nil: by the token.
        var refreshAnswer: Answer?
        /// The status of the answer to a revocation.
        var revocation = 200
        /// Whether tokens are bound to the key of a request's proof, and the nonce that the proof has to have.
        var isBinding = false
        var nonce: String?
        /// Whether a proof without it is answered 401 with a challenge in the header.
        var challengesInHeader = false
    }
    private let contents = Monitor(Contents())

    /// The settings of a service whose people sign in here.
    static func settings(_ changes: [JSON.Member] = []) throws -> SignInSettings {
        try SignInSettings(
            .object(
                [
                    ("issuer", .string(issuer)), ("audiences", ["https://mam.example.org"]),
                    ("clientIds", ["libmam"]), ("scopes", ["openid", "mam.enroll"]), ("accountClaim", "upn"),
                ] + changes))
    }

    static let metadata: JSON = [
        "issuer": .string(issuer), "token_endpoint": .string(issuer + "/token"),
        "device_authorization_endpoint": .string(issuer + "/device"), "jwks_uri": .string(issuer + "/keys"),
        "authorization_endpoint": "https://login.example.org/authorize",
        "code_challenge_methods_supported": ["plain", "S256"],
        "revocation_endpoint": .string(issuer + "/revoke"),
        "an_unknown_member": ["a": 1],
    ]
    /// Those of a provider with no way to sign in that libmam knows.
    static let metadataWithoutGrants = JSON.object(
        (metadata.object ?? []).filter {
            !["device_authorization_endpoint", "authorization_endpoint"].contains($0.key)
        })
    static let begun: Answer = (
        200,
        [
            "device_code": .string(deviceCode), "user_code": .string(userCode), "interval": 1, "expires_in": 600,
            "verification_uri": "https://login.example.org/device",
            "verification_uri_complete": "https://login.example.org/device?code=BCDF-GHJK", "unknown": true,
        ]
    )
    static let pending: Answer = (400, ["error": "authorization_pending", "error_description": "later"])

    static func refused(_ error: String, status: Int = 400) -> Answer { (status, ["error": .string(error)]) }

    /// A token of ann's, which the service does not verify here.
    static let token = token(issued: 1_795_000_000)

    static func token(issued: Int64, _ claims: [JSON.Member] = []) -> String {
        let common: [JSON.Member] = [
            ("iss", .string(issuer)), ("aud", "https://mam.example.org"), ("client_id", "libmam"),
            ("scope", "openid mam.enroll"), ("sub", "ann"), ("upn", "ann@contoso.example"), ("exp", 4_000_000_000),
            ("iat", .integer(issued)),
        ]
        return [#"{"alg":"ES256","kid":"key"}"#, JSON.object(common + claims).text, "signature"]
            .map { base64url(Array($0.utf8)) }.joined(separator: ".")
    }

    static let granted = granted(token)
    static let refreshToken = "refresh-token-that-is-secret-0"

    static func granted(_ token: String, refresh: String? = nil) -> Answer {
        let members: [JSON.Member] = [
            ("access_token", .string(token)), ("token_type", "bearer"), ("expires_in", 600), ("id_token", "x"),
        ]
        return (200, .object(members + (refresh.map { [("refresh_token", .string($0))] } ?? [])))
    }

    /// The answer to the use of a refresh token: the next one takes its place.
    private static func refresh(_ form: String, _ contents: inout Contents) -> Answer {
        if let answer = contents.refreshAnswer { return answer }
        guard form.contains("refresh_token=\(contents.refreshToken)&") else {
            contents.replays += 1
            return refused("invalid_grant")
        }
        contents.refreshed += 1
        contents.refreshToken = "refresh-token-that-is-secret-\(contents.refreshed)"
        return granted(token, refresh: contents.refreshToken)
    }

    var metadata: JSON {
        get { contents.withLock { $0.metadata } }
        set { contents.withLock { $0.metadata = newValue } }
    }
    var begun: Answer {
        get { contents.withLock { $0.begun } }
        set { contents.withLock { $0.begun = newValue } }
    }
    var polls: [Answer] {
        get { contents.withLock { $0.polls } }
        set { contents.withLock { $0.polls = newValue } }
    }
    var failure: TransportFailure? {
        get { contents.withLock { $0.failure } }
        set { contents.withLock { $0.failure = newValue } }
    }
    var refreshAnswer: Answer? {
        get { contents.withLock { $0.refreshAnswer } }
        set { contents.withLock { $0.refreshAnswer = newValue } }
    }
    var revocation: Int {
        get { contents.withLock { $0.revocation } }
        set { contents.withLock { $0.revocation = newValue } }
    }
    var isBinding: Bool {
        get { contents.withLock { $0.isBinding } }
        set { contents.withLock { $0.isBinding = newValue } }
    }
    var nonce: String? {
        get { contents.withLock { $0.nonce } }
        set { contents.withLock { $0.nonce = newValue } }
    }
    var challengesInHeader: Bool {
        get { contents.withLock { $0.challengesInHeader } }
        set { contents.withLock { $0.challengesInHeader = newValue } }
    }
    /// The proofs that came.
    var proofs: [SeenProof] { requests.compactMap(SeenProof.init) }

    /// How often the token that counts was used, and how often another one.
    var refreshes: (counted: Int, replayed: Int) { contents.withLock { ($0.refreshed, $0.replays) } }
    var requests: [TransportRequest] { contents.withLock { $0.requests } }

    /// The forms that were sent to an endpoint.
    func forms(_ endpoint: String) -> [String] {
        requests.filter { $0.url == FakeProvider.issuer + endpoint }.map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Wait until so many polls have come.
    func awaitPolls(_ count: Int) { awaitRequests("/token", count) }

    /// Wait until an endpoint has been asked so many times.
    func awaitRequests(_ endpoint: String, _ count: Int) {
        contents.wait { contents in
            contents.requests.count { $0.url.hasSuffix(endpoint) } >= count ? .done(()) : .wait(milliseconds: -1)
        }
    }

    func exchange(_ request: TransportRequest) throws(TransportFailure) -> TransportReply {
        try contents.change { (contents) throws(TransportFailure) -> TransportReply in
            contents.requests.append(request)
            if let failure = contents.failure { throw failure }
            guard contents.isBinding, request.url.hasSuffix("/token") else {
                let answer = FakeProvider.answer(request, &contents)
                return TransportReply(status: answer.status, fields: [], body: answer.json.utf8)
            }
            let fields = contents.nonce.map { [("dpop-nonce", $0)] } ?? []
            guard let proof = SeenProof(request), proof.claims["htu"]?.string == request.url else {
                return TransportReply(
                    status: 400, fields: fields, body: FakeProvider.refused("invalid_dpop_proof").json.utf8)
            }
            guard proof.claims["nonce"]?.string == contents.nonce else {
                if contents.challengesInHeader {
                    return TransportReply(
                        status: 401, fields: fields + [("www-authenticate", #"DPoP error="use_dpop_nonce""#)], body: [])
                }
                return TransportReply(
                    status: 400, fields: fields, body: FakeProvider.refused("use_dpop_nonce").json.utf8)
            }
            let answer = FakeProvider.bound(FakeProvider.answer(request, &contents), to: proof.thumbprint)
            return TransportReply(status: answer.status, fields: fields, body: answer.json.utf8)
        }
    }

    private static func answer(_ request: TransportRequest, _ contents: inout Contents) -> Answer {
        let form = String(decoding: request.body, as: UTF8.self)
        switch request.url.dropFirst(FakeProvider.issuer.count) {
        case "/.well-known/openid-configuration": return (200, contents.metadata)
        case "/device": return contents.begun
        case "/revoke": return (contents.revocation, [:])
        case "/token" where form.hasPrefix("grant_type=refresh_token&"): return refresh(form, &contents)
        case "/token": return contents.polls.count > 1 ? contents.polls.removeFirst() : contents.polls[0]
        default: return (404, [:])
        }
    }

    /// An answer whose token is bound to a key.
    private static func bound(_ answer: Answer, to thumbprint: String) -> Answer {
        let members = (answer.json.object ?? []).map { member -> JSON.Member in
            switch member.key {
            case "access_token":
                let token = token(issued: 1_795_000_000, [("cnf", ["jkt": .string(thumbprint)])])
                return (member.key, .string(token))
            case "token_type": return (member.key, "DPoP")
            default: return member
            }
        }
        return (answer.status, .object(members))
    }

    func client(_ change: (inout ProviderSettings) -> Void = { _ in }) throws -> ProviderClient {
        var settings = ProviderSettings()
        (settings.issuer, settings.clientId) = (FakeProvider.issuer, "libmam")
        settings.scopes = ["openid", "mam.enroll"]
        change(&settings)
        return ProviderClient(provider: try #require(Provider(settings)), transport: self)
    }
}

/// A proof of a key (DPoP) in a request, whose signature verifies.
struct SeenProof {
    let claims: JSON
    let thumbprint: String

    init?(_ request: TransportRequest) {
        guard let text = request.fields.first(where: { $0.name == "dpop" })?.value else { return nil }
        let parts = text.split(separator: ".").map(String.init)
        let read = parts.compactMap { bytes(base64url: $0) }
        guard parts.count == 3, read.count == 3, let header = try? JSONReader.read(read[0]),
            let claims = try? JSONReader.read(read[1]),
            let x = header["jwk"]?["x"]?.string.flatMap(bytes(base64url:)),
            let y = header["jwk"]?["y"]?.string.flatMap(bytes(base64url:)),
            RequestKey.verifies(read[2], of: Array("\(parts[0]).\(parts[1])".utf8), by: [4] + x + y)
        else { return nil }
        self.claims = claims
        thumbprint = JSONWebKey.thumbprint(p256: [4] + x + y)
    }
}

extension FormBody {
    /// The members of a query as texts.
    static func read(_ query: String) -> [String: String]? {
        let read = try? SecretBytes(copyingText: query).withUnsafeBytes { (bytes) throws(MAMError) in
            try FormBody.read(bytes[...])
        }
        return read?.mapValues { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    }
}
