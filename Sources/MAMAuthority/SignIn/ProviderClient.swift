import MAMMessages
import MAMPolicy
import MAMSupport

/// Signs people in at a provider, by requests on the calling thread. Codes and tokens are in no message.
public struct ProviderClient: Sendable {
    /// The provider.
    public let provider: Provider
    let transport: any Transport

    /// The longest reply that is read, in bytes.
    public static let longestReply = 256 << 10
    private static let tokenLimit = 8192

    /// A reply of the provider that is JSON.
    struct Reply {
        let status: Int
        let json: JSON

        /// The error of a refused request; "" for none that a provider may name.
        var error: String {
            guard let name = json["error"]?.string, ProviderClient.errors.contains(name) else { return "" }
            return name
        }
    }

    /// The errors of RFC 6749 and 8628. Others are not shown, since a provider may write anything there.
    static let errors: Set = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "invalid_target", "access_denied", "authorization_pending", "slow_down", "expired_token",
        "server_error", "temporarily_unavailable", "unsupported_response_type",
    ]

    /// Read the provider's metadata.
    func metadata() throws(AuthorityFailure) -> ProviderMetadata {
        let reply = try send(TransportRequest(method: "GET", url: provider.metadataURL, fields: [accepts]))
        guard reply.status == 200 else { throw .provider("it has no metadata (HTTP status \(reply.status))") }
        return try ProviderMetadata(reply.json, issuer: provider.issuer)
    }

    /// Send a form. The client is a public one: it has no secret.
    func post(_ url: String, _ members: [(name: String, value: String?)]) throws(AuthorityFailure) -> Reply {
        let type: MessageField = ("content-type", "application/x-www-form-urlencoded")
        let form = FormBody.bytes(members + [("client_id", provider.clientId)])
        return try send(TransportRequest(method: "POST", url: url, fields: [accepts, type], body: form))
    }

    private var accepts: MessageField { ("accept", "application/json") }

    /// The scopes to ask for, as one text.
    var scope: String { provider.scopes.joined(separator: " ") }

    private func send(_ request: TransportRequest) throws(AuthorityFailure) -> Reply {
        let reply: TransportReply
        do throws(TransportFailure) { reply = try transport.exchange(request) } catch {
            guard error.kind != .interrupted else { throw .interruptedSignIn }
            var failure = AuthorityFailure.provider(error.reason)
            failure.isUnreachable = [.noName, .noAnswer, .timeout].contains(error.kind)
            throw failure
        }
        guard reply.body.count <= ProviderClient.longestReply,
            let json = try? JSON(parsing: reply.body, limit: ProviderClient.longestReply), json.object != nil
        else {
            var failure = AuthorityFailure.provider("its reply (HTTP status \(reply.status)) is no JSON object")
            failure.isUnreachable = reply.status == 429 || reply.status >= 500
            throw failure
        }
        return Reply(status: reply.status, json: json)
    }

    /// The access token of a reply that grants one.
    func token(_ reply: Reply) throws(AuthorityFailure) -> SecretBytes {
        guard let text = reply.json["access_token"]?.string, VisibleText.is(text, upTo: ProviderClient.tokenLimit),
            let type = reply.json["token_type"]?.string, Identity.fold(type) == Identity.fold("Bearer")
        else { throw .provider("its reply has no access token that libmam can send") }
        return try ProviderClient.secret(text)
    }

    /// The failure of a refused request.
    func refusal(_ reply: Reply) -> AuthorityFailure { refusal(error: reply.error, status: reply.status) }

    /// The failure that an error stands for; one of another name is not shown.
    func refusal(error: String, status: Int) -> AuthorityFailure {
        switch error {
        case "access_denied": return AuthorityFailure(.loginCanceled, "the provider refused the sign-in")
        case "expired_token": return .expiredSignIn
        case "unsupported_grant_type", "unsupported_response_type":
            return AuthorityFailure(.adalMethodUnsupported, "the provider does not offer this way to sign in")
        case _ where ProviderClient.errors.contains(error): return .provider("it refused the request (\(error))")
        default: return .provider("it refused the request with HTTP status \(status)")
        }
    }

    static func secret(_ text: String) throws(AuthorityFailure) -> SecretBytes {
        do throws(MAMError) { return try SecretBytes(copyingText: text) } catch {
            throw AuthorityFailure(.internalError, error.message)
        }
    }
}

extension SecretBytes {
    /// Copy a text.
    convenience init(copyingText text: String) throws(MAMError) {
        let bytes = Array(text.utf8)
        try self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }
}

extension AuthorityFailure {
    /// An interrupt came before the sign-in had ended.
    public static var interruptedSignIn: AuthorityFailure {
        var failure = AuthorityFailure(.timeout, "the sign-in was interrupted", for: .statusSignInCanceled)
        failure.isInterrupted = true
        return failure
    }

    /// Nobody signed in while the code was valid; nobody may be there, so it is not asked again within minutes.
    public static var expiredSignIn: AuthorityFailure {
        var failure = AuthorityFailure(
            .timeout, "nobody signed in while it was possible", for: .statusSignInCanceled)
        failure.retryAfter = .hours(24)
        return failure
    }
}
