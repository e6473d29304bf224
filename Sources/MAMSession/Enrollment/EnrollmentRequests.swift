import CProcess
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Asks the authority for enrollments.
protocol EnrollmentRequesting: AnyObject, Sendable {
    /// Ask the authority to enroll an account. If it requires a token, ask the host for one.
    func askToEnroll(_ candidate: Candidate, _ cause: EnrollmentCause) throws(MAMError) -> EnrollmentAnswer
    /// Ask the host for a token of an account.
    func askForToken(_ candidate: Candidate) -> Events.Asked
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
        var token: SecretBytes?
        while true {
            guard let lease = try enrollmentLease() else {
                return .refused(
                    AuthorityFailure(.timeout, "Another process of the app has been enrolling for too long"))
            }
            guard try isUnchanged(candidate) else { return .changed }
            let host = hostFacts(try current())
            let known = token
            let reply = try requestFromAuthority { () throws(AuthorityFailure) in
                try authority.enroll(
                    name, app: appFacts, host: host, wipeMark: candidate.wipeMark, token: known, cause: cause)
            }
            let failure: AuthorityFailure
            switch reply {
            case .success(let enrollment): return .granted(enrollment, lease)
            case .failure(let refusal): failure = refusal
            }
            guard failure.needsToken, token == nil else { return .refused(failure) }
            lease.end()  // the host's answer may take long
            switch askForToken(candidate) {
            case .answer(.secret(let secret)): token = secret
            case .answer: return .refused(failure)
            case .later(let question): return .later(question: question)
            case .abandoned: return .abandoned
            }
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

    func askForToken(_ candidate: Candidate) -> Events.Asked {
        let name = candidate.name
        let account = name.accountId ?? name.upn ?? ""
        return events.ask(
            .accessToken, subject: candidate.row?.id.hex ?? account,
            of: NamedAccount(accountId: account, upn: name.upn),
            [("resource", .string(settings.authority.place)), ("accepts", settings.authority.acceptedProofs)]
                + snapshots.latest.signIn(settings),
            for: settings.authority.isService ? (.questionInvitation, nil) : nil)
    }
}
