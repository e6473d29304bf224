import CProcess
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Asks the authority for enrollments.
protocol EnrollmentRequesting: AnyObject, Sendable {
    /// Ask the authority to enroll an account. If it requires a token, ask the host for one.
    func askToEnroll(_ candidate: Candidate, _ cause: EnrollmentCause) throws(MAMError) -> EnrollmentAnswer
    /// Ask the host for what a request lacked, once for each kind.
    func supply(_ failure: AuthorityFailure, for candidate: Candidate, to given: inout GivenSecrets) -> Supply
}

/// The secrets that the host has given for a request so far.
struct GivenSecrets {
    var token: SecretBytes?
    var hasProxyCredentials = false
}

/// The consequence of the host's answer for a request that failed.
enum Supply {
    /// It is repeated with what the host gave.
    case again
    /// It stays failed.
    case nothing
    case later(question: Int64)
    case abandoned
}

/// The outcome of asking the authority for an enrollment.
enum EnrollmentAnswer {
    /// The caller holds the lease until it has stored the enrollment.
    case granted(Enrollment, Lease)
    /// Another session of the app has enrolled or removed the account: decide again.
    case changed
    case refused(AuthorityFailure)
    case later(question: Int64)
    /// The session is closing: not finished in this session; only a registration goes on at the next open (docs/events.md).
    case abandoned
}

/// Requests for enrollments, made by one session of the app at a time.
final class EnrollmentRequests: SessionService, EnrollmentRequesting, Sendable {
    let context: SessionContext

    init(_ context: SessionContext) { self.context = context }

    func askToEnroll(_ candidate: Candidate, _ cause: EnrollmentCause) throws(MAMError) -> EnrollmentAnswer {
        let name = candidate.name
        var given = GivenSecrets()
        while true {
            guard let lease = try enrollmentLease() else {
                return .refused(
                    AuthorityFailure(.timeout, "Another process of the app has been enrolling for too long"))
            }
            guard try isUnchanged(candidate) else { return .changed }
            let host = hostFacts(try current())
            let token = given.token
            let reply = try requestFromAuthority { () throws(AuthorityFailure) in
                try authority.enroll(
                    name, app: appFacts, host: host, wipeMark: candidate.wipeMark, token: token, cause: cause)
            }
            let failure: AuthorityFailure
            switch reply {
            case .success(let enrollment): return .granted(enrollment, lease)
            case .failure(let refusal): failure = refusal
            }
            lease.end()  // the host's answer may take long
            switch supply(failure, for: candidate, to: &given) {
            case .again: continue
            case .nothing: return .refused(failure)
            case .later(let question): return .later(question: question)
            case .abandoned: return .abandoned
            }
        }
    }

    func supply(_ failure: AuthorityFailure, for candidate: Candidate, to given: inout GivenSecrets) -> Supply {
        let asked: Events.Asked
        if failure.needsProxyCredentials {
            // Those that the proxy has refused are not tried again.
            authority.use(nil)
            guard !given.hasProxyCredentials else { return .nothing }
            asked = askForProxyCredentials()
        } else if failure.needsToken, given.token == nil {
            asked = askForToken(candidate, failure)
        } else {
            return .nothing
        }
        switch asked {
        case .answer(.secret(let secret)) where failure.needsProxyCredentials:
            guard let credentials = ProxyCredentials(secret) else { return .nothing }
            authority.use(credentials)
            given.hasProxyCredentials = true
            return .again
        case .answer(.secret(let secret)):
            given.token = secret
            return .again
        case .answer: return .nothing
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        }
    }

    /// The lease for enrolling; nil after 5 seconds, or after the time that requests of another process to a service may take.
    /// Concurrent enrollments of one account would replace each other at the authority.
    private func enrollmentLease() throws(MAMError) -> Lease? {
        let wait = interrupts.beginWait()
        let until = process_clock_monotonic_ms() &+ settings.authority.leaseTime.milliseconds
        while true {
            if let lease = try state.lease(.enrollment) { return lease }
            guard !wait.isInterrupted else { throw .interrupted }
            guard process_clock_monotonic_ms() < until else { return nil }
            process_sleep(5)
        }
    }

    /// Whether the account is unchanged since the decision to enroll it.
    private func isUnchanged(_ candidate: Candidate) throws(MAMError) -> Bool {
        let accounts = try snapshots.currentRecords().accounts
        switch candidate {
        case .known(let account):
            let latest = accounts.first { $0.row.id == account.row.id }
            return latest?.state == account.state && latest?.record.registration == account.record.registration
        case .named(let name): return !accounts.contains { $0.isEnrolled && name.matches($0.record) }
        }
    }

    private func askForProxyCredentials() -> Events.Asked {
        events.ask(
            .proxyCredentials, subject: settings.authority.place, of: nil,
            [("resource", .string(settings.authority.place)), ("proxy", .optional(settings.authority.proxy))])
    }

    private func askForToken(_ candidate: Candidate, _ failure: AuthorityFailure) -> Events.Asked {
        let name = candidate.name
        let account = name.accountId ?? name.upn ?? ""
        return events.ask(
            .accessToken, subject: candidate.row?.id.hex ?? account,
            of: NamedAccount(accountId: account, upn: name.upn),
            [("resource", .string(settings.authority.place)), ("accepts", settings.authority.acceptedProofs)]
                + [("claims", .optional(failure.claims)), ("maxAge", failure.maxAge.map(JSON.integer) ?? .null)]
                + snapshots.latest.signIn(settings),
            for: settings.authority.isService ? (.questionInvitation, nil) : nil)
    }
}
