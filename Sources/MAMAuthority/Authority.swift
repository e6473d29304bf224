import MAMSupport

/// Who tells the policy: a service that accounts enroll with.
///
/// Any thread may call; each call is complete in itself and nothing of it survives a fork. ``EmbeddedAuthority`` is the
/// one of this release.
public protocol Authority: Sendable {
    /// Let an account enroll in an app on this computer.
    ///
    /// `token` is the answer to an earlier ``AuthorityFailure/needsToken``. An account whose enrollment here has ended with a
    /// wipe comes in again only where the host asks for it.
    func enroll(
        _ account: AccountName, app: AppFacts, host: HostFacts, token: SecretBytes?, cause: EnrollmentCause
    ) throws(AuthorityFailure) -> Enrollment

    /// Ask for policy and commands of an enrolled account.
    func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> CheckIn

    /// Ask for the exchange keys of an enrolled account from an epoch on, the oldest first; from 0 on the newest alone. An
    /// app that is not managed, or has to wipe itself, gets none.
    func exchangeKeys(
        _ accountId: String, registration: String, wipeMark: Int64, from epoch: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> [ExchangeKey]

    /// End an enrollment; one that has ended already is no failure.
    func unenroll(
        _ accountId: String, registration: String, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure)

    /// Tell that a wipe is complete, and with it the enrollment; `wipe` is nil where the authority did not ask for it.
    /// Repeating it does no harm.
    func reportWipe(
        _ accountId: String, registration: String, wipe: Int64?, reason: String, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure)

    /// Whether the running user could change what the authority says.
    var custody: Custody { get }

    /// Why nobody can ask it, on one line; nil where nothing is known to be wrong. Looking changes nothing.
    var problem: String? { get }
}
