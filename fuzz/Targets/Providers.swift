import MAMAuthority
import MAMPolicy
import MAMProtection
import MAMSupport

/// Replies of a provider, and requests that pretend to be the browser that comes back from it. The first byte says which reply the input
/// is: of the metadata, a device authorization, a sign-in, the use of a refresh token, a revocation; or it is the line of a request at
/// the loopback address, or the header of a reply. The second byte is the status.
func fuzzProviderReply(_ input: [UInt8]) {
    var input = Input(input)
    let (kind, status) = (input.byte(), input.byte())
    let body = Array(input.rest)
    guard body.count <= ProviderClient.longestReply else { return }
    switch kind & 7 {
    case 5: browserComesBack(body)
    case 6: wantsNonce(body)
    default:
        separatesSecrets(body)
        signsIn(
            FuzzedProvider(
                call: Int(kind & 7), isBinding: kind & 8 != 0,
                status: [200, 201, 302, 400, 401, 404, 429, 500, 503][Int(status) % 9], body: body),
            canBrowse: kind & 16 != 0)
    }
}

/// A text that is in no message.
private let secret = "SECRET"

private func signsIn(_ transport: FuzzedProvider, canBrowse: Bool) {
    var settings = ProviderSettings()
    (settings.issuer, settings.clientId, settings.refresh) = (FuzzedProvider.issuer, "libmam", true)
    guard let provider = Provider(settings) else { fatalError("no provider") }
    let client = ProviderClient(
        provider: provider, transport: transport, now: { Instant(milliseconds: 1_795_000_000_000) })
    attempt { () throws(AuthorityFailure) in
        var grant = try client.begin(canBrowse: canBrowse, hint: "ann@contoso.example")
        for name in ["verificationUri", "verificationUriComplete", "authorizationUri"] {
            let shown = grant.members.first { $0.key == name }?.value.string
            require(shown.map { $0.hasPrefix("https://") } ?? true, "a person is shown an https page")
        }
        require(grant.lifetime > .seconds(0) && grant.lifetime <= .minutes(30), "a sign-in ends")
        require(grant.interval > .seconds(0), "polls leave time")
        guard !grant.isInBrowser else { return }
        if case .granted(let tokens) = try grant.poll(client, now: 0, thanks: "") { check(tokens, transport) }
    }
    let token = FuzzKeys.made { () throws(MAMError) in
        RefreshToken(
            issuer: FuzzedProvider.issuer, clientId: "libmam",
            secret: try SecretBytes(count: 8) { $0.copyBytes(from: Array("\(secret)-1".utf8)) },
            key: transport.isBinding ? try RequestKey() : nil)
    }
    attempt { () throws(AuthorityFailure) in
        switch try client.refresh(token, at: try client.refreshEndpoint()) {
        case .granted(let tokens): check(tokens, transport)
        case .unused(let failure): require(!failure.isRefusal, "a token that was not used is kept for later")
        case .ended, .lost: break
        }
    }
    attempt { () throws(AuthorityFailure) in _ = try client.revoke(token) }
    require(transport.count <= 16, "nothing is asked for ever")
}

private func check(_ tokens: GrantedTokens, _ transport: FuzzedProvider) {
    require(isVisible(tokens.access), "an access token can be sent")
    require(tokens.key == nil || transport.isBinding, "a token is bound to a key that was proven")
    guard let refresh = tokens.refresh else { return }
    require(refresh.issuer == FuzzedProvider.issuer, "a refresh token is its provider's")
    let read = (try? refresh.stored()).flatMap(RefreshToken.init(stored:))
    require(read?.isBound == refresh.isBound && read != nil, "what is stored reads as what was stored")
}

private func isVisible(_ text: SecretBytes) -> Bool {
    text.count > 0 && text.withUnsafeBytes { $0.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
}

private func attempt(_ body: () throws(AuthorityFailure) -> Void) {
    do throws(AuthorityFailure) { try body() } catch {
        require(error.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a message is one line")
        require(!error.message.contains(secret), "a message has nothing of the provider's")
        require(!error.isRefusal && error.wipe == nil, "a provider wipes nobody")
    }
}

/// Secret members leave the rest as it was.
private func separatesSecrets(_ body: [UInt8]) {
    let whole = try? JSON(parsing: body, limit: ProviderClient.longestReply)
    let separated = FuzzKeys.made { () throws(MAMError) in
        try SecretMembers(try SecretBytes(count: body.count) { $0.copyBytes(from: body) })
    }
    require(separated.values.values.allSatisfy(isVisible), "a secret can be sent")
    let rest = try? JSON(parsing: separated.rest, limit: ProviderClient.longestReply)
    require((rest == nil) == (whole == nil), "a reply is JSON with its secrets and without")
    guard let members = whole?.object, let others = rest?.object else { return }
    require(members.map(\.key) == others.map(\.key), "the rest has the same members")
    for (member, other) in zip(members, others) where member.value != other.value {
        let value = separated.values[member.key]?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        require(other.value == "" && value == member.value.string, "what is missing is the secret")
    }
}

private func browserComesBack(_ line: [UInt8]) {
    let state = "uGq5c0Cz"
    let answer = FuzzKeys.made { () throws(MAMError) in
        try CodeGrant.answer(
            try SecretBytes(count: line.count) { $0.copyBytes(from: line) }, path: "/back", state: state)
    }
    guard let answer else { return }
    let given = answer["state"].map { $0.withUnsafeBytes { Array($0) } }
    require(given == Array(state.utf8), "only who knows the state comes back")
    require(line.starts(with: "GET /back?".utf8), "a browser comes back to the path")
}

private func wantsNonce(_ header: [UInt8]) {
    let fields = CurlTransport.fields(header)
    let isWanted = WantedNonce.isWanted(fields)
    require(!isWanted || fields.contains { $0.name == "www-authenticate" }, "a nonce is wanted by a challenge")
    guard let nonce = WantedNonce.stated(in: fields) else { return }
    require(
        (1...512).contains(nonce.utf8.count) && nonce.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a nonce can be sent")
}

/// A provider whose reply to one call is the input, and whose others are in order.
private final class FuzzedProvider: Transport {
    static let issuer = "https://login.example.org"
    let isBinding: Bool
    private let call: Int
    private let status: Int
    private let body: [UInt8]
    private let asked = Locked(0)

    init(call: Int, isBinding: Bool, status: Int, body: [UInt8]) {
        (self.call, self.isBinding, self.status, self.body) = (call, isBinding, status, body)
    }

    var count: Int { asked.withLock { $0 } }

    func exchange(_ request: TransportRequest) throws(TransportFailure) -> TransportReply {
        asked.withLock { $0 += 1 }
        require(request.url.hasPrefix("https://"), "a provider is asked by https")
        let form = String(decoding: request.body, as: UTF8.self)
        let forms = ["grant_type=refresh": 3, "grant_type=urn": 2, "token=": 4]
        let kind = request.method == "GET" ? 0 : forms.first { form.hasPrefix($0.key) }?.value ?? 1
        guard kind == call else {
            return TransportReply(status: 200, fields: [], body: Array(usual(kind).utf8))
        }
        return TransportReply(status: status, fields: [("dpop-nonce", "n")], body: body)
    }

    private func usual(_ kind: Int) -> String {
        switch kind {
        case 0:
            #"{"issuer":"https://login.example.org","token_endpoint":"https://login.example.org/token","#
                + #""device_authorization_endpoint":"https://login.example.org/device","#
                + #""revocation_endpoint":"https://login.example.org/revoke""#
                + (isBinding ? #","dpop_signing_alg_values_supported":["ES256"]}"# : "}")
        case 1:
            #"{"device_code":"SECRET-code","user_code":"BCDF","verification_uri":"https://login.example.org/code","#
                + #""expires_in":600}"#
        case 4: "{}"
        default: #"{"access_token":"SECRET-access","token_type":"Bearer","refresh_token":"SECRET-refresh"}"#
        }
    }
}
