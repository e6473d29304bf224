import MAMSupport

/// The OpenID provider at which people sign in, and which of its access tokens count.
public struct SignInSettings: Sendable, Equatable {
    /// The provider, as `iss` of its tokens names it: an https URL.
    public let issuer: String
    /// The names of this service in `aud`; one of them has to be there.
    public let audiences: [String]
    /// The clients that may bring a token.
    public let clientIds: [String]
    /// The scopes that a token needs, all of them.
    public let scopes: [String]
    /// The claim with the user's account id or UPN, for a token without `oid`; nil for none.
    public let accountClaim: String?
    /// A file of PEM certificates that are trusted for the provider alone; nil: the system's.
    public let certificateFile: String?
    /// The service as apps name it to the provider (RFC 8707); nil where they do not.
    public let resource: String?
    /// The ways in which libmam may sign people in; nil for all that it knows.
    public let methods: [String]?

    /// How long a sign-in lasts; nil: for ever.
    public let frequency: TimeSpan?
    /// Whether libmam asks for refresh tokens, so that a sign-in is renewed without the person.
    public let isRefreshing: Bool
    /// Whether a token counts only where it is bound to a key, with a proof of that key.
    public let boundTokensOnly: Bool
    /// The way in which a person has to have signed in for a token to count.
    let strength: SignInStrength

    private static let members = [
        "issuer", "audiences", "clientIds", "scopes", "resource", "methods", "accountClaim", "caFile", "frequency",
        "refresh", "boundTokensOnly", "claims", "maxAge",
    ]
    private static let knownMethods = ["browser", "device"]

    /// Read the settings. The error's message begins with the member that is wrong.
    public init(_ json: JSON) throws(MAMError) {
        guard let object = json.object else { throw .argument("signIn", "has to be an object") }
        for (name, _) in object where !SignInSettings.members.contains(name) {
            throw .argument(
                "signIn",
                "has no \(ForeignText.quoted(name)); there are \(SignInSettings.members.joined(separator: ", "))")
        }
        func text(_ name: String) throws(MAMError) -> String? {
            guard let value = json[name], !value.isNull else { return nil }
            guard let text = value.string, (1...512).contains(text.utf8.count) else {
                throw .argument("signIn.\(name)", "has to be a text")
            }
            return text
        }
        func texts(_ name: String) throws(MAMError) -> [String] {
            let texts = (json[name]?.array ?? []).compactMap(\.string).filter { !$0.isEmpty }
            guard !texts.isEmpty, texts.count == json[name]?.array?.count else {
                throw .argument("signIn.\(name)", "has to be a list of texts, at least one")
            }
            return texts
        }
        guard let issuer = try text("issuer"), SignInSettings.isURL(issuer) else {
            throw .argument("signIn.issuer", "has to be the provider's issuer, https://HOST[/PATH]")
        }
        self.issuer = issuer
        (audiences, clientIds, scopes) = (try texts("audiences"), try texts("clientIds"), try texts("scopes"))
        resource = try text("resource")
        var methods: [String]?
        if let given = json["methods"], !given.isNull {
            methods = given.array?.compactMap(\.string).filter(SignInSettings.knownMethods.contains)
            guard methods?.count == given.array?.count, methods != nil else {
                throw .argument("signIn.methods", "has to be a list of browser and device; empty for none")
            }
        }
        self.methods = methods
        accountClaim = try text("accountClaim")
        certificateFile = try text("caFile")
        func duration(_ name: String) throws(MAMError) -> TimeSpan? {
            try text(name).map { (text) throws(MAMError) in
                guard let span = TimeSpan(iso8601: text), span >= .minutes(1) else {
                    throw .argument("signIn.\(name)", "has to be a duration of a minute or more (P30D)")
                }
                return span
            }
        }
        frequency = try duration("frequency")
        func flag(_ name: String) throws(MAMError) -> Bool {
            guard let value = json[name], !value.isNull else { return false }
            guard let flag = value.bool else { throw .argument("signIn.\(name)", "has to be true or false") }
            return flag
        }
        (isRefreshing, boundTokensOnly) = (try flag("refresh"), try flag("boundTokensOnly"))
        guard !isRefreshing || frequency != nil else {
            throw .argument("signIn.refresh", "needs signIn.frequency, without which no sign-in is renewed")
        }
        strength = SignInStrength(
            claims: try SignInStrength.claims(json["claims"] ?? .null), maxAge: try duration("maxAge"))
        guard accountClaim != "preferred_username" else {
            throw .argument(
                "signIn.accountClaim",
                "cannot be preferred_username, which people may change; name another claim, or none")
        }
    }

    /// The address of the provider's metadata.
    public var metadataURL: String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// The member "signIn" of the discovery document.
    var json: JSON {
        .object(
            [("issuer", .string(issuer)), ("clientId", .string(clientIds[0])), ("scopes", .strings(scopes))]
                + (resource.map { [("resource", .string($0))] } ?? [])
                + (methods.map { [("methods", .strings($0))] } ?? [])
                + (isRefreshing ? [("refresh", true)] : [])
                + (boundTokensOnly ? [("boundTokensOnly", true)] : []))
    }

    /// Whether a text is https://HOST[:PORT][/PATH], in visible ASCII.
    static func isURL(_ text: String) -> Bool {
        let scheme = "https://"
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        return text.utf8.starts(with: scheme.utf8) && rest.first != UInt8(ascii: "/") && !rest.isEmpty
            && rest.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Array("?#@\\\"".utf8).contains($0) }
    }
}
