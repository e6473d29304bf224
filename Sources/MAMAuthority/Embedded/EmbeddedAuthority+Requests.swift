import MAMPolicy
import MAMSupport

/// Requests, each in one transaction of the file; the rules are the directory's.
extension EmbeddedAuthority {
    /// Enroll an account in an app on this computer.
    ///
    /// The checks come in this order: which user it is, whether the user may enroll, whether a policy reaches them. `token`
    /// answers an earlier ``AuthorityFailure/needsToken``. An account whose enrollment here ended with a wipe is enrolled again
    /// only where the host asks for it.
    public func enroll(
        _ account: AccountName, app: AppFacts, host: HostFacts, marks: WipeMarks = WipeMarks(), token: SecretBytes?,
        cause: EnrollmentCause = .host
    ) throws(AuthorityFailure) -> Enrollment {
        try perform(.enroll) { (store) throws(MAMError) in
            try store.enroll(account, app: app, host: host, marks: marks, token: token, cause: cause, now: now())
        }
    }

    /// Returns policy and commands of an enrolled account. A wipe takes precedence over everything else, even where the
    /// enrollment is not known any more or the user was removed.
    public func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> CheckInReply {
        let key = CheckInCacheKey(accountId, registration, wipeMark, app, host)
        return try reply(for: key) { () throws(AuthorityFailure) in
            var recorded: Instant?
            let reply = try perform(.checkIn) { (store) throws(MAMError) in
                try store.checkIn(
                    accountId, registration: registration, wipeMark: wipeMark, app: app, host: host, now: now(),
                    recorded: &recorded)
            }
            return (reply, recorded)
        }
    }

    /// End an enrollment; no error where it has ended already. Returns the wipe that the app has to carry out and report instead, nil
    /// for none.
    public func unenroll(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> RegistrationWipe? {
        try perform(.unenroll) { (store) throws(MAMError) in
            .granted(
                try store.unenroll(accountId, registration: registration, wipeMark: wipeMark, app: app, host: host))
        }
    }

    /// Record that a wipe is complete, which ends the enrollment, with every wipe request that it fulfils. `wipe` is nil where the
    /// authority did not request the wipe. Repeating the report has no effect.
    public func reportWipe(
        _ accountId: String, registration: String, wipe: Int64?, reason: WipeReason = .host, app: AppFacts,
        host: HostFacts
    ) throws(AuthorityFailure) {
        try perform(.reportWipe) { (store) throws(MAMError) in
            .granted(
                try store.reportWipe(
                    accountId, registration: registration, wipe: wipe, reason: reason, app: app, host: host, now: now()
                ))
        }
    }

    /// Returns the exchange keys of an enrolled account from an epoch on, the oldest first; from 0 on, the newest alone. Refused for
    /// an app that is not managed or has a pending wipe.
    public func exchangeKeys(
        _ accountId: String, registration: String, wipeMark: Int64, from epoch: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> [ExchangeKey] {
        try perform(.checkIn) { (store) throws(MAMError) in
            try store.exchangeKeys(
                of: accountId, registration: registration, wipeMark: wipeMark, from: epoch, app: app, host: host)
        }
    }
}
