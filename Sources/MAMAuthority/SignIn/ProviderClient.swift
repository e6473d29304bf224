import MAMMessages
import MAMPolicy
import MAMSupport

/// Signs people in at a provider, by requests on the calling thread. Codes and tokens are in no message.
public struct ProviderClient: Sendable {
    /// The provider.
    public let provider: Provider
    let transport: any Transport
    /// The time in proofs of keys.
    var now: @Sendable () -> Instant = Clock.system.now

    /// A client of a provider.
    package init(
        provider: Provider, transport: any Transport, now: @escaping @Sendable () -> Instant = Clock.system.now
    ) {
        (self.provider, self.transport, self.now) = (provider, transport, now)
    }

    /// The longest reply that is read, in bytes.
    public static let longestReply = 256 << 10
    private static let tokenLimit = 8192

    /// A reply of the provider that is JSON.
    struct Reply {
        let status: Int
        let json: JSON
        /// The secret members, which are "" in `json`.
        var secrets: [String: SecretBytes] = [:]

        /// The error of a refused request; "" for none that a provider may name.
        var error: String {
            guard let name = json["error"]?.string, ProviderClient.errors.contains(name) else { return "" }
            return name
        }

        /// Whether the provider, or a server before it, has no time now.
        var isBusy: Bool { status == 429 || status >= 500 }
    }

    /// The errors of RFC 6749 and 8628. Others are not shown, since a provider may write anything there.
    static let errors: Set = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
        "invalid_scope", "invalid_target", "access_denied", "authorization_pending", "slow_down", "expired_token",
        "server_error", "temporarily_unavailable", "unsupported_response_type", "use_dpop_nonce", "invalid_dpop_proof",
    ]

    /// Read the provider's metadata.
    func metadata() throws(AuthorityFailure) -> ProviderMetadata {
        let reply = try read(
            exchange(TransportRequest(method: "GET", url: provider.metadataURL, fields: [accepts])))
        guard reply.status == 200 else {
            var failure = AuthorityFailure.provider("it has no metadata (HTTP status \(reply.status))")
            failure.isUnreachable = reply.isBusy
            throw failure
        }
        return try ProviderMetadata(reply.json, issuer: provider.issuer)
    }

    /// Send a form, and read the reply.
    func post(_ url: String, _ members: [FormMember]) throws(AuthorityFailure) -> Reply {
        try read(exchange(try form(url, members)))
    }

    /// Send a form with the proof of a key, and read the reply. It is repeated once where the provider wants its nonce in the proof.
    func post(
        _ url: String, _ members: [FormMember], _ binding: inout KeyBinding?
    ) throws(AuthorityFailure) -> Reply {
        guard var bound = binding else { return try post(url, members) }
        defer { binding = bound }
        let form = try form(url, members)
        for isRepeated in [false, true] {
            let proof = try bound.field(form, at: now())
            let reply = try exchange(form.with(proof))
            let hasNonce = bound.take(reply)
            let isChallenged = reply.status == 401 && WantedNonce.isWanted(reply.fields)
            if isChallenged, hasNonce, !isRepeated { continue }
            let read = try read(reply)
            guard read.error == WantedNonce.error, hasNonce, !isRepeated else { return read }
        }
        throw .provider("it wants another proof each time")
    }

    /// A request with a form. The client is a public one: it has no secret.
    func form(_ url: String, _ members: [FormMember]) throws(AuthorityFailure) -> TransportRequest {
        let type: MessageField = ("content-type", "application/x-www-form-urlencoded")
        let form = try ProviderClient.mappingErrors { () throws(MAMError) in
            try FormBody.bytes(members + [.text("client_id", provider.clientId)])
        }
        return TransportRequest(method: "POST", url: url, fields: [accepts, type], secret: form)
    }

    private var accepts: MessageField { ("accept", "application/json") }

    /// The scopes to ask for, as one text.
    var scope: String { provider.requestedScopes.joined(separator: " ") }

    /// Send a request; what the reply says is not read.
    func exchange(_ request: TransportRequest) throws(AuthorityFailure) -> TransportReply {
        do throws(TransportFailure) { return try transport.exchange(request) } catch {
            guard error.kind != .interrupted else { throw .interruptedSignIn }
            var failure = AuthorityFailure.provider(error.reason)
            failure.isUnreachable = [.noName, .noAnswer, .timeout].contains(error.kind)
            throw failure
        }
    }

    private func read(_ reply: TransportReply) throws(AuthorityFailure) -> Reply {
        let members = try ProviderClient.mappingErrors { () throws(MAMError) in
            let body = try reply.secretBody()
            return body.count <= ProviderClient.longestReply ? try SecretMembers(body) : nil
        }
        if let members, let json = try? JSON(parsing: members.rest, limit: ProviderClient.longestReply),
            json.object != nil
        {
            return Reply(status: reply.status, json: json, secrets: members.values)
        }
        // A server before the provider has answered that it is busy.
        let busy = Reply(status: reply.status, json: [:])
        guard busy.isBusy else {
            throw .provider("its reply (HTTP status \(reply.status)) is no JSON object")
        }
        return busy
    }

    /// The tokens of a reply that grants some. The provider decides whether they are bound to the key of the request's proof.
    func tokens(_ reply: Reply, _ binding: KeyBinding?) throws(AuthorityFailure) -> GrantedTokens {
        guard let access = reply.secrets["access_token"], access.count <= ProviderClient.tokenLimit,
            let type = reply.json["token_type"]?.string.map({ Identity.fold($0) }),
            type == Identity.fold("Bearer") || type == Identity.fold("DPoP") && binding != nil
        else { throw .provider("its reply has no access token that libmam can send") }
        let key = type == Identity.fold("DPoP") ? binding?.key : nil
        // A refresh token that cannot be sent is none; the access token counts all the same.
        let refresh = reply.secrets["refresh_token"].flatMap { $0.count <= RefreshToken.longest ? $0 : nil }
        return GrantedTokens(
            access: access, key: key,
            refresh: refresh.map {
                // A public client's is bound wherever its request had a proof.
                RefreshToken(
                    issuer: provider.issuer, clientId: provider.clientId, secret: $0, key: binding?.key)
            })
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

    /// Run work that may fail by itself, as where there is too little secret memory; returns its error as the authority's.
    static func mappingErrors<T>(_ body: () throws(MAMError) -> T) throws(AuthorityFailure) -> T {
        do throws(MAMError) { return try body() } catch { throw AuthorityFailure(.internalError, error.message) }
    }
}

extension TransportRequest {
    /// The request with one more field.
    func with(_ field: MessageField) -> TransportRequest {
        let fields = fields + [field]
        guard let secret else { return TransportRequest(method: method, url: url, fields: fields, body: body) }
        return TransportRequest(method: method, url: url, fields: fields, secret: secret)
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
