import MAMMessages
import MAMPolicy
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
    }
    private let contents = Monitor(Contents())

    /// The settings of a service whose people sign in here.
    static var settings: SignInSettings {
        get throws {
            try SignInSettings([
                "issuer": .string(issuer), "audiences": ["https://mam.example.org"], "clientIds": ["libmam"],
                "scopes": ["openid", "mam.enroll"], "accountClaim": "upn",
            ])
        }
    }

    static let metadata: JSON = [
        "issuer": .string(issuer), "token_endpoint": .string(issuer + "/token"),
        "device_authorization_endpoint": .string(issuer + "/device"), "jwks_uri": .string(issuer + "/keys"),
        "authorization_endpoint": "https://login.example.org/authorize",
        "code_challenge_methods_supported": ["plain", "S256"],
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

    static func token(issued: Int64) -> String {
        [
            #"{"alg":"ES256","kid":"key"}"#,
            #"{"iss":"https://login.example.org/contoso","aud":"https://mam.example.org","client_id":"libmam","#
                + #""scope":"openid mam.enroll","sub":"ann","upn":"ann@contoso.example","exp":4000000000,"iat":"#
                + "\(issued)}",
            "signature",
        ].map { base64url(Array($0.utf8)) }.joined(separator: ".")
    }

    static let granted = granted(token)

    static func granted(_ token: String) -> Answer {
        (200, ["access_token": .string(token), "token_type": "bearer", "expires_in": 600, "id_token": "x"])
    }

    var metadata: JSON {
        get { contents.held { $0.metadata } }
        set { contents.held { $0.metadata = newValue } }
    }
    var begun: Answer {
        get { contents.held { $0.begun } }
        set { contents.held { $0.begun = newValue } }
    }
    var polls: [Answer] {
        get { contents.held { $0.polls } }
        set { contents.held { $0.polls = newValue } }
    }
    var failure: TransportFailure? {
        get { contents.held { $0.failure } }
        set { contents.held { $0.failure = newValue } }
    }
    var requests: [TransportRequest] { contents.held { $0.requests } }

    /// The forms that were sent to an endpoint.
    func forms(_ endpoint: String) -> [String] {
        requests.filter { $0.url == FakeProvider.issuer + endpoint }.map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Wait until so many polls have come.
    func awaitPolls(_ count: Int) {
        contents.wait { contents in
            contents.requests.count { $0.url.hasSuffix("/token") } >= count ? .done(()) : .wait(milliseconds: -1)
        }
    }

    func exchange(_ request: TransportRequest) throws(TransportFailure) -> TransportReply {
        let answer = try contents.change { (contents) throws(TransportFailure) -> Answer in
            contents.requests.append(request)
            if let failure = contents.failure { throw failure }
            switch request.url.dropFirst(FakeProvider.issuer.count) {
            case "/.well-known/openid-configuration": return (200, contents.metadata)
            case "/device": return contents.begun
            case "/token": return contents.polls.count > 1 ? contents.polls.removeFirst() : contents.polls[0]
            default: return (404, [:])
            }
        }
        return TransportReply(status: answer.status, fields: [], body: answer.json.utf8)
    }

    func client(_ change: (inout ProviderSettings) -> Void = { _ in }) throws -> ProviderClient {
        var settings = ProviderSettings()
        (settings.issuer, settings.clientId) = (FakeProvider.issuer, "libmam")
        settings.scopes = ["openid", "mam.enroll"]
        change(&settings)
        return ProviderClient(provider: try #require(Provider(settings)), transport: self)
    }
}
