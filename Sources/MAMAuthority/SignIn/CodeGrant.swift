import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

/// A sign-in in a browser of this computer, by authorization code with PKCE (RFC 7636, 8252): the provider sends the browser to a
/// loopback address with a code, which libmam alone can exchange for a token.
public struct CodeGrant: Sendable {
    /// The address to open.
    public let authorizationUri: String
    private let state: String
    private let verifier: SecretBytes
    private let redirectUri: String
    private let path: String
    private let endpoint: String
    private let issuer: String
    private let listener: LoopbackListener
    /// The key to which the tokens are bound; nil where the provider binds none.
    private let binding: KeyBinding?

    static let lifetime = TimeSpan.minutes(10)
    static let interval = TimeSpan(milliseconds: 250)
    private static let longestCode = 4096

    /// Listen, and make the address to open. `hint` is the name of the person who is expected.
    init(
        _ client: ProviderClient, _ metadata: ProviderMetadata, at authorization: String, hint: String?,
        _ demands: SignInDemands
    ) throws(AuthorityFailure) {
        let provider = client.provider
        let address = provider.redirectUri.flatMap(LoopbackAddress.init) ?? .own
        guard let listener = LoopbackListener(port: address.port) else {
            throw .provider("libmam cannot listen at \(address.uri(port: address.port)) for the browser to come back")
        }
        // No ID token is looked at, but providers refuse an OpenID request without a nonce.
        let nonce: String
        do throws(MAMError) {
            nonce = base64url(try randomBytes(16))
            state = base64url(try randomBytes(32))
            verifier = try SecretBytes(copyingText: base64url(try randomBytes(32)))
        } catch { throw AuthorityFailure(.internalError, error.message) }
        binding = try KeyBinding.made(for: metadata)
        let challenge = base64url(sha256(verifier.withUnsafeBytes { Array($0) }))
        redirectUri = address.uri(port: listener.port)
        let members: [(name: String, value: String?)] = [
            ("response_type", "code"), ("client_id", provider.clientId), ("redirect_uri", redirectUri),
            ("scope", client.scope), ("state", state), ("nonce", nonce), ("code_challenge", challenge),
            ("code_challenge_method", "S256"), ("resource", provider.resource), ("login_hint", hint),
            ("dpop_jkt", binding?.thumbprint),
        ]
        let query = FormBody.bytes(members + demands.members)
        authorizationUri =
            authorization + (authorization.contains("?") ? "&" : "?") + String(decoding: query, as: UTF8.self)
        (path, endpoint, issuer) = (address.path, metadata.token, provider.issuer)
        self.listener = listener
    }

    /// Look whether the browser came back, and exchange the code. `thanks` is the page that it then shows.
    func poll(_ client: ProviderClient, now: Int64, thanks: String) throws(AuthorityFailure) -> SignInGrant.Poll {
        while let request = listener.next(now: now) {
            guard let answer = answer(request.line) else {
                // Somebody else's request, or one that a page of another origin made: it learns nothing, and ends nothing.
                listener.answer(request, "400 Bad Request", "This address has nothing to show.")
                continue
            }
            listener.answer(request, "200 OK", thanks)
            if let error = answer["error"] { throw client.refusal(error: error, status: 302) }
            guard let code = answer["code"], VisibleText.is(code, upTo: CodeGrant.longestCode) else {
                throw .provider("the browser came back without a code")
            }
            if let named = answer["iss"], !named.utf8.elementsEqual(issuer.utf8) {
                throw .provider("the browser came back from another provider")
            }
            return .granted(try exchange(code, client))
        }
        return .pending
    }

    private func exchange(_ code: String, _ client: ProviderClient) throws(AuthorityFailure) -> GrantedTokens {
        var binding = binding
        let verifier = verifier.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let reply = try client.post(
            endpoint,
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectUri),
                ("code_verifier", verifier),
            ], &binding)
        guard reply.status == 200 else { throw client.refusal(reply) }
        return try client.tokens(reply, binding)
    }

    /// The parameters of the request by which the browser comes back; nil for any other request.
    private func answer(_ line: String) -> [String: String]? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "GET", words[2].utf8.starts(with: "HTTP/1.".utf8),
            let mark = words[1].firstIndex(of: "?"), words[1][..<mark].utf8.elementsEqual(path.utf8),
            let answer = FormBody.read(String(words[1][words[1].index(after: mark)...])), let given = answer["state"],
            CodeGrant.isEqual(given, state)
        else { return nil }
        return answer
    }

    /// Compare without telling by the time where they differ.
    private static func isEqual(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && zip(a.utf8, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Close in a forked child.
    func closeInChild() { listener.closeInChild() }
}
