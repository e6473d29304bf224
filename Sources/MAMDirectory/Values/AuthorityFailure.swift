import MAMPolicy
import MAMSupport

/// A refusal or failure of the authority.
public struct AuthorityFailure: Error, Sendable {
    /// A code of docs/status-codes.md.
    public let code: StatusCode
    /// One line for a person, without a full stop; empty where the code is enough.
    public let message: String
    /// Whether the request can be repeated with an access token from the host.
    public let needsToken: Bool
    /// Whether the user is unknown or disabled, so that repeating the request cannot help.
    public let isUserRefused: Bool
    /// Whether the authority signed it, so that it comes from nobody else.
    public var isSigned = false
    /// Whether the request can be repeated with a user and a password for the proxy.
    public var needsProxyCredentials = false
    /// How long to wait at least before the next request, where the authority says so.
    public var retryAfter: TimeSpan?
    /// Whether somebody should look into it: it is no trouble of everyday.
    public var isSuspicious = false
    /// Whether the request was interrupted before an answer came.
    public var isInterrupted = false
    /// Whether nothing came back, or only that the server is busy, so that the same request may be repeated.
    public var isUnreachable = false
    /// The wipe to carry out before the account is enrolled again; nil for none.
    public var wipe: RequiredWipe?
    /// The parameter `claims` with which the provider is to be asked for the token, a JSON object as text; nil for any token.
    public var claims: String?
    /// The seconds since the person signed in at the provider, at most; nil for any.
    public var maxAge: Int64?
    /// Whether the token has to be of a sign-in by the person, which no refresh token stands for.
    public var needsPerson = false
    /// The text that the repeated check-in has to carry, where the authority asks whether the state is the latest.
    public var challenge: String?
    /// The message for the person who uses the host.
    public let messageKey: MessageKey

    /// Create a failure.
    public init(
        _ code: StatusCode, _ message: String = "", needsToken: Bool = false, isUserRefused: Bool = false,
        for messageKey: MessageKey? = nil
    ) {
        self.code = code
        self.messageKey = messageKey ?? code.messageKey
        self.message = message
        self.needsToken = needsToken
        self.isUserRefused = isUserRefused
    }

    /// Whether the authority has refused the account itself. A forgotten enrollment (220) is not a refusal: the account enrolls
    /// again first.
    public var isRefusal: Bool {
        isUserRefused || code == .reEnrollForUnenrolledUser || code == .deviceBlockedEnrollment
    }
}

/// A wipe that an authority requires before it enrolls an account again.
public struct RequiredWipe: Sendable {
    /// The id of its request.
    public let id: Int64
    /// The account; nil where the authority does not state it.
    public let accountId: String?
    /// The authority that requires it; nil for one that signs nothing.
    public let authority: AuthorityIdentity?

    /// Create a required wipe.
    public init(id: Int64, accountId: String?, authority: AuthorityIdentity?) {
        (self.id, self.accountId, self.authority) = (id, accountId, authority)
    }
}
