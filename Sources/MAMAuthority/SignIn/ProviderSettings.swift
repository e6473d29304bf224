import MAMSupport

/// The OpenID provider at which people sign in, as far as one source names it: the settings, the Intune settings or a service's
/// document.
public struct ProviderSettings: Equatable, Sendable {
    /// The provider, as `iss` of its tokens names it: an https URL.
    public var issuer: String?
    /// The app's name at the provider.
    public var clientId: String?
    /// The scopes to ask for.
    public var scopes: [String]?
    /// The service for which the token is, by RFC 8707; nil where the provider is not told.
    public var resource: String?
    /// The ways to sign in that are allowed; nil for all.
    public var methods: [SignInMethod]?
    /// The loopback address to which a browser comes back; its port, or 0 for any.
    public var redirectUri: String?
    /// Whether libmam asks for refresh tokens; nil: as the other sources say, else no.
    public var refresh: Bool?
    /// PEM certificates that are trusted alone for the provider; nil: `certificateFile`.
    public var certificate: String?
    /// A file of such; nil: the system's.
    public var certificateFile: String?

    /// Nothing is named.
    public init() {}

    /// Read the member `signIn` of a service's document; unknown members are ignored.
    init?(document json: JSON?) {
        guard let json, let issuer = json["issuer"]?.string, let clientId = json["clientId"]?.string else { return nil }
        self.issuer = issuer
        self.clientId = clientId
        scopes = json["scopes"]?.array?.compactMap(\.string)
        resource = json["resource"]?.string
        methods = json["methods"]?.array?.compactMap { $0.string.flatMap(SignInMethod.init) }
        refresh = json["refresh"]?.bool
    }

    /// These settings, with those of another source where these have none. Another issuer makes the other source void; the beginning of
    /// the other's issuer, as Intune's settings have it, is no other one.
    func over(_ other: ProviderSettings?) -> ProviderSettings {
        guard let other, issuer.map({ ProviderSettings.is(other.issuer, at: $0) }) ?? true else { return self }
        var all = self
        all.issuer = other.issuer ?? issuer
        all.clientId = clientId ?? other.clientId
        all.scopes = scopes ?? other.scopes
        all.resource = resource ?? other.resource
        // A method that either forbids is forbidden.
        all.methods = methods.map { own in own.filter { other.methods?.contains($0) ?? true } } ?? other.methods
        all.redirectUri = redirectUri ?? other.redirectUri
        all.refresh = refresh ?? other.refresh
        return all
    }

    /// Whether a text can be an issuer.
    public static func isIssuer(_ text: String) -> Bool {
        SecureURL.isValid(text) && !text.utf8.contains(UInt8(ascii: "?"))
    }

    private static func `is`(_ issuer: String?, at place: String) -> Bool {
        guard let issuer else { return true }
        return issuer.utf8.elementsEqual(place.utf8) || issuer.utf8.starts(with: (place + "/").utf8)
    }
}

/// A way in which libmam signs a person in.
public enum SignInMethod: String, CaseIterable, Sendable {
    /// Authorization code with PKCE: a browser on this computer comes back to a loopback address (RFC 8252).
    case browser
    /// The device authorization grant: the person enters a code in any browser (RFC 8628).
    case device
}

/// A provider that is known well enough to sign in there.
public struct Provider: Equatable, Sendable {
    /// The provider, as `iss` of its tokens names it.
    public let issuer: String
    /// The app's name at the provider.
    public let clientId: String
    /// The scopes to ask for.
    public let scopes: [String]
    /// The service for which the token is; nil where the provider is not told.
    public let resource: String?
    /// The ways to sign in that are allowed.
    public let methods: [SignInMethod]
    /// The loopback address to which a browser comes back; nil for one of libmam's choice.
    let redirectUri: String?
    /// Whether libmam asks for refresh tokens, and keeps them.
    public let isRefreshing: Bool

    private static let longestText = 512
    /// The scope that asks for a refresh token (OpenID Connect Core 1.0).
    private static let offline = "offline_access"

    /// Complete settings; nil where they name no provider, or not as a provider can be named.
    package init?(_ settings: ProviderSettings) {
        guard let issuer = settings.issuer, let clientId = settings.clientId, ProviderSettings.isIssuer(issuer),
            VisibleText.is(clientId, upTo: Provider.longestText)
        else { return nil }
        let scopes = settings.scopes ?? []
        let resource = settings.resource
        guard scopes.count <= 32, scopes.allSatisfy({ VisibleText.is($0, upTo: Provider.longestText) }),
            resource.map({ VisibleText.is($0, upTo: Provider.longestText) }) ?? true
        else { return nil }
        (self.issuer, self.clientId, self.scopes) = (issuer, clientId, scopes.isEmpty ? ["openid"] : scopes)
        self.resource = resource
        methods = settings.methods ?? SignInMethod.allCases
        redirectUri = settings.redirectUri
        isRefreshing = settings.refresh ?? false
    }

    /// The scopes to ask for, with the one for a refresh token only where one is wanted.
    var requestedScopes: [String] {
        scopes.filter { $0 != Provider.offline } + (isRefreshing ? [Provider.offline] : [])
    }

    /// The provider that gave a refresh token, as far as it takes to revoke it; nil where the token names none.
    init?(of token: RefreshToken) {
        var settings = ProviderSettings()
        (settings.issuer, settings.clientId) = (token.issuer, token.clientId)
        self.init(settings)
    }

    /// The address of the provider's metadata.
    var metadataURL: String {
        (issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer)
            + "/.well-known/openid-configuration"
    }
}
