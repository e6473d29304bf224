import MAMPolicy
import MAMProtection
import MAMSupport

/// An authority: it says who may enroll, and sends policy and commands. Any thread may call.
public protocol Authority: Sendable {
    /// Accept replies of this authority alone from now on; nil for any.
    func expect(_ identity: AuthorityIdentity?)

    /// Use these credentials for a proxy on the way to the authority from now on; nil for none.
    func use(_ credentials: ProxyCredentials?)

    /// The provider at which libmam can sign people in for the authority; nil for none. `host` is the provider by the host's Intune
    /// settings.
    func signIn(_ host: ProviderSettings) -> ProviderClient?

    /// The provider that gave a refresh token; nil where the authority knows no providers.
    func provider(of token: RefreshToken) -> ProviderClient?

    /// The control over the authority.
    var custody: Custody { get }
    /// Why others than its owner can change what the authority says, on one line; nil where they cannot.
    var custodyReason: String? { get }
    /// Why the authority cannot be asked, on one line; nil where no problem is known. Waits for no network.
    var problem: String? { get }
    /// When an authority on the network last answered this process; nil for others.
    var lastReached: Instant? { get }

    /// Enroll an account in an app on this computer. `marks` are the latest wipes that the state knows of for the account. `token` answers an earlier ``AuthorityFailure/needsToken``; for a renewal it is what the check-in brought
    /// for it, nil where the authority needs none. `key` is the one to which a provider has bound the token; nil for none.
    func enroll(
        _ account: AccountName, app: AppFacts, host: HostFacts, marks: WipeMarks, token: SecretBytes?,
        boundTo key: RequestKey?, cause: EnrollmentCause
    ) throws(AuthorityFailure) -> Enrollment

    /// Returns policy and commands of an enrolled account. `token` answers an earlier ``AuthorityFailure/needsToken``; `key` is the one to
    /// which a provider has bound it, nil for none.
    func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts, token: SecretBytes?,
        boundTo key: RequestKey?
    ) throws(AuthorityFailure) -> CheckInReply

    /// End an enrollment; no error where it has ended already. Returns the wipe that the app has to carry out and report instead, nil
    /// for none.
    func unenroll(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> RegistrationWipe?

    /// Record that a wipe is complete, which ends the enrollment. Repeating the report has no effect.
    func reportWipe(
        _ accountId: String, registration: String, wipe: Int64?, reason: WipeReason, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure)

    /// Returns the exchange keys of an enrolled account from an epoch on, the oldest first; from 0 on, the newest alone.
    func exchangeKeys(
        _ accountId: String, registration: String, wipeMark: Int64, from epoch: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> [ExchangeKey]
}

extension EmbeddedAuthority: Authority {
    /// No proxy is before a file.
    public func use(_ credentials: ProxyCredentials?) {}

    /// Tokens for a file are in files.
    public func signIn(_ host: ProviderSettings) -> ProviderClient? { nil }

    /// Nor is anything refreshed.
    public func provider(of token: RefreshToken) -> ProviderClient? { nil }

    /// It is always at hand.
    public var lastReached: Instant? { nil }

    /// Enroll an account; no provider binds tokens for a file.
    public func enroll(
        _ account: AccountName, app: AppFacts, host: HostFacts, marks: WipeMarks, token: SecretBytes?,
        boundTo key: RequestKey?, cause: EnrollmentCause
    ) throws(AuthorityFailure) -> Enrollment {
        try enroll(account, app: app, host: host, marks: marks, token: token, cause: cause)
    }

    /// Check an account in; it never asks for a token.
    public func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts, token: SecretBytes?,
        boundTo key: RequestKey?
    ) throws(AuthorityFailure) -> CheckInReply {
        try checkIn(accountId, registration: registration, wipeMark: wipeMark, app: app, host: host)
    }
}
