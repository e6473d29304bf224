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
            verifier = try CodeGrant.newVerifier()
        } catch { throw AuthorityFailure(.internalError, error.message) }
        binding = try KeyBinding.made(for: metadata)
        let challenge = base64url(sha256(verifier))
        redirectUri = address.uri(port: listener.port)
        let members: [FormMember] = [
            .text("response_type", "code"), .text("client_id", provider.clientId),
            .text("redirect_uri", redirectUri), .text("scope", client.scope), .text("state", state),
            .text("nonce", nonce), .text("code_challenge", challenge), .text("code_challenge_method", "S256"),
            .text("resource", provider.resource), .text("login_hint", hint), .text("dpop_jkt", binding?.thumbprint),
        ]
        authorizationUri =
            authorization + (authorization.contains("?") ? "&" : "?") + FormBody.query(members + demands.members)
        (path, endpoint, issuer) = (address.path, metadata.token, provider.issuer)
        self.listener = listener
    }

    /// Look whether the browser came back, and exchange the code. `thanks` is the page that it then shows.
    func poll(_ client: ProviderClient, now: Int64, thanks: String) throws(AuthorityFailure) -> SignInGrant.Poll {
        while let request = try ProviderClient.mappingErrors({ () throws(MAMError) in try listener.next(now: now) }) {
            let line = request.line
            guard
                let answer = try ProviderClient.mappingErrors({ () throws(MAMError) in
                    try CodeGrant.answer(line, path: path, state: state)
                })
            else {
                // Somebody else's request, or one that a page of another origin made: it learns nothing, and ends nothing.
                listener.answer(request, "400 Bad Request", "This address has nothing to show.")
                continue
            }
            listener.answer(request, "200 OK", thanks)
            if let error = answer["error"] { throw client.refusal(error: CodeGrant.text(error), status: 302) }
            guard let code = answer["code"], VisibleText.is(code, upTo: CodeGrant.longestCode) else {
                throw .provider("the browser came back without a code")
            }
            if let named = answer["iss"], !named.withUnsafeBytes({ $0.elementsEqual(issuer.utf8) }) {
                throw .provider("the browser came back from another provider")
            }
            return .granted(try exchange(code, client))
        }
        return .pending
    }

    private func exchange(_ code: SecretBytes, _ client: ProviderClient) throws(AuthorityFailure) -> GrantedTokens {
        var binding = binding
        let reply = try client.post(
            endpoint,
            [
                .text("grant_type", "authorization_code"), .secret("code", code), .text("redirect_uri", redirectUri),
                .secret("code_verifier", verifier),
            ], &binding)
        guard reply.status == 200 else { throw client.refusal(reply) }
        return try client.tokens(reply, binding)
    }

    /// The parameters of the request by which the browser comes back; nil for any other request.
    package static func answer(
        _ line: SecretBytes, path: String, state: String
    ) throws(MAMError) -> [String: SecretBytes]? {
        try line.withUnsafeBytes { (bytes) throws(MAMError) -> [String: SecretBytes]? in
            let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard words.count == 3, words[0].elementsEqual("GET".utf8), words[2].starts(with: "HTTP/1.".utf8),
                let mark = words[1].firstIndex(of: UInt8(ascii: "?")),
                words[1][..<mark].elementsEqual(path.utf8),
                let answer = try FormBody.read(words[1][mark...].dropFirst()), let given = answer["state"],
                isEqual(given, state)
            else { return nil }
            return answer
        }
    }

    /// Compare without telling by the time where they differ.
    private static func isEqual(_ a: SecretBytes, _ b: String) -> Bool {
        a.withUnsafeBytes { a in
            a.count == b.utf8.count && zip(a, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }

    /// A text that is no secret.
    private static func text(_ bytes: SecretBytes) -> String {
        bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// A verifier: 43 characters of base64url, each of six random bits.
    private static func newVerifier() throws(MAMError) -> SecretBytes {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let random = try SecretBytes.random(count: 43)
        return try SecretBytes(count: random.count) { memory in
            random.withUnsafeBytes { random in
                for index in random.indices { memory[index] = alphabet[Int(random[index] & 63)] }
            }
        }
    }
}
