import MAMPolicy

/// The demands of an authority on a sign-in, as a provider is asked for it (OpenID Connect Core 1.0, RFC 9470).
public struct SignInDemands: Equatable, Sendable {
    /// The parameter `claims`, a JSON object as text; nil for none.
    public var claims: String?
    /// The seconds since the person signed in at the provider, at most; nil for any.
    public var maxAge: Int64?
    /// Whether the person has to sign in now, whatever the provider remembers of them.
    public var isOfPerson = false

    /// Nothing is demanded.
    public init() {}

    /// The demands of a request that lacks a token.
    public init(_ failure: AuthorityFailure) {
        (claims, maxAge, isOfPerson) = (failure.claims, failure.maxAge, failure.needsPerson)
    }

    /// The parameters of a request to the provider.
    var members: [FormMember] {
        [
            .text("claims", claims), .text("max_age", maxAge.map { String($0) }),
            .text("prompt", isOfPerson ? "login" : nil),
        ]
    }
}
