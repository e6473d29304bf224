import MAMPolicy
import MAMSupport

/// The authority in one SQLite file on this computer; docs/authority.md.
public struct EmbeddedAuthority: Authority {
    let path: String
    let now: @Sendable () -> Instant

    /// The authority in a file, which each call opens and closes.
    public init(path: String, now: @escaping @Sendable () -> Instant) {
        self.path = path
        self.now = now
    }

    public var custody: Custody { .development }

    public func enroll(
        _ account: AccountName, app: AppFacts, host: HostFacts, token: SecretBytes?
    ) throws(AuthorityFailure) -> Enrollment { throw AuthorityFailure(.internalError, "not in this commit") }

    public func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> CheckIn { throw AuthorityFailure(.internalError, "not in this commit") }

    public func unenroll(
        _ accountId: String, registration: String, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) { throw AuthorityFailure(.internalError, "not in this commit") }

    public func reportWipe(
        _ accountId: String, registration: String, wipe: Int64?, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) { throw AuthorityFailure(.internalError, "not in this commit") }
}
