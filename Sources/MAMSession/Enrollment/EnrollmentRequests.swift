import CProcess
import MAMAuthority
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

/// Asks the authority for enrollments.
protocol EnrollmentRequesting: AnyObject, Sendable {
    /// Ask the authority to enroll an account. If it requires a token, ask the host for one.
    func askToEnroll(_ candidate: Candidate, _ cause: EnrollmentCause) throws(MAMError) -> EnrollmentAnswer
    /// Ask the host for what a request lacked, once for each kind.
    func supply(
        _ failure: AuthorityFailure, for candidate: Candidate, to given: inout GivenSecrets
    ) throws(MAMError) -> Supply
    /// Go on with a sign-in by libmam, if one has begun for the account; nil if none has.
    func resumeSignIn(_ candidate: Candidate, to given: inout GivenSecrets) throws(MAMError) -> Supply?
    /// A request of the account has failed, or needs no token: a sign-in by libmam is given up.
    func endSignIn(_ candidate: Candidate)
    /// A request of the account has succeeded; returns the refresh token that a sign-in by libmam brought, to be kept.
    func finishSignIn(_ candidate: Candidate) -> RefreshToken?
    /// Whether a sign-in by libmam has begun for an account.
    func isSigningIn(_ id: AccountRowID) -> Bool
}

/// The secrets that the host has given for a request so far.
struct GivenSecrets {
    var token: SecretBytes?
    /// The key to which a provider has bound the token; nil for none.
    var key: RequestKey?
    /// Whether a refresh token has brought the token.
    var isRefreshed = false
    var hasProxyCredentials = false
}

/// The consequence of the host's answer for a request that failed.
enum Supply {
    /// It is repeated with what the host gave.
    case again
    /// It stays failed.
    case nothing
    /// It is repeated later, as the step says.
    case pending(StepResult)
    /// It failed for another reason: libmam could not sign the person in.
    case failed(AuthorityFailure)
}

/// The outcome of asking the authority for an enrollment.
enum EnrollmentAnswer {
    /// The caller holds the lease until it has stored the enrollment, and the refresh token with it; nil for none.
    case granted(Enrollment, Lease, RefreshToken?)
    /// Another session of the app has enrolled or removed the account: decide again.
    case changed
    case refused(AuthorityFailure)
    /// The host or a person has to answer first, or the session is closing.
    case pending(StepResult)
}

/// Requests for enrollments, made by one session of the app at a time.
final class EnrollmentRequests: SessionService, EnrollmentRequesting, Sendable {
    let context: SessionContext

    private let signIns: any ProviderSigningIn

    init(_ context: SessionContext, _ signIns: any ProviderSigningIn) {
        (self.context, self.signIns) = (context, signIns)
    }

    func askToEnroll(_ candidate: Candidate, _ cause: EnrollmentCause) throws(MAMError) -> EnrollmentAnswer {
        let name = candidate.name
        var given = GivenSecrets()
        switch try resumeSignIn(candidate, to: &given) {
        case .pending(let step): return .pending(step)
        case .failed(let failure): return .refused(failure)
        case nil, .again, .nothing: break
        }
        while true {
            guard let lease = try enrollmentLease() else {
                return .refused(EnrollmentRequests.busyFailure)
            }
            guard try isUnchanged(candidate) else { return .changed }
            let host = hostFacts(try current())
            let marks = try state.read { (view, _) throws(MAMError) in WipeMarks(of: try view.holders(of: name)) }
            let (token, key) = (given.token, given.key)
            let reply = try requestFromAuthority { () throws(AuthorityFailure) in
                try authority.enroll(
                    name, app: appFacts, host: host, marks: marks, token: token, boundTo: key, cause: cause)
            }
            let failure: AuthorityFailure
            switch reply {
            case .success(let enrollment): return .granted(enrollment, lease, finishSignIn(candidate))
            case .failure(let refusal): failure = refusal
            }
            lease.end()  // the host's answer may take long
            switch try supply(failure, for: candidate, to: &given) {
            case .again: continue
            case .nothing: return .refused(failure)
            case .pending(let step): return .pending(step)
            case .failed(let failure): return .refused(failure)
            }
        }
    }

    func resumeSignIn(_ candidate: Candidate, to given: inout GivenSecrets) throws(MAMError) -> Supply? {
        try signIns.resume(candidate.subject).map { supply($0, to: &given) }
    }

    func endSignIn(_ candidate: Candidate) { revokeLater(signIns.end(candidate.subject)) }

    func finishSignIn(_ candidate: Candidate) -> RefreshToken? { signIns.end(candidate.subject) }

    func isSigningIn(_ id: AccountRowID) -> Bool { signIns.isPending(id.hex) }

    private func supply(_ progress: SignInProgress, to given: inout GivenSecrets) -> Supply {
        switch progress {
        case .token(let token, let key):
            (given.token, given.key) = (token, key)
            return .again
        case .pending(let step): return .pending(step)
        case .failed(let failure): return .failed(failure)
        }
    }

    func supply(
        _ failure: AuthorityFailure, for candidate: Candidate, to given: inout GivenSecrets
    ) throws(MAMError) -> Supply {
        if !failure.needsProxyCredentials { endSignIn(candidate) }
        let asked: Events.Asked
        let provider = authority.signIn(snapshots.latest.provider)
        if failure.needsProxyCredentials {
            // Those that the proxy has refused are not tried again.
            authority.use(nil)
            guard !given.hasProxyCredentials else { return .nothing }
            asked = askForProxyCredentials()
        } else if failure.needsToken, given.token == nil || given.isRefreshed {
            if let refreshed = try refresh(failure, for: candidate, at: provider, to: &given) { return refreshed }
            asked = askForToken(candidate, failure, provider?.provider)
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
            (given.token, given.key, given.isRefreshed) = (secret, nil, false)
            return .again
        case .answer(.signIn(let canBrowse)):
            let progress = try signIns.begin(
                candidate.subject, candidate.named, provider, canBrowse: canBrowse, demands: SignInDemands(failure))
            return supply(progress, to: &given)
        case .answer: return .nothing
        case .later(let question): return .pending(.later(question: question))
        case .abandoned: return .pending(.abandoned)
        }
    }

    static let busyFailure = AuthorityFailure(.timeout, "Another process of the app has been enrolling for too long")

    /// The lease for enrolling; nil after 5 seconds, or after the time that requests of another process to a service may take.
    /// Concurrent enrollments of one account would replace each other at the authority.
    func enrollmentLease() throws(MAMError) -> Lease? {
        let wait = interrupts.beginWait()
        let until = process_clock_monotonic_ms() &+ settings.authority.leaseWait.milliseconds
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

    private func askForToken(
        _ candidate: Candidate, _ failure: AuthorityFailure, _ provider: Provider?
    ) -> Events.Asked {
        var members = snapshots.latest.signIn(settings)
        if let provider {
            members.removeAll { $0.key == "clientId" }
            members += [
                ("clientId", .string(provider.clientId)), ("issuer", .string(provider.issuer)),
                ("scopes", .strings(provider.scopes)),
            ]
        }
        let accepted = settings.authority.acceptedProofs + (provider == nil ? [] : ["signIn"])
        return events.ask(
            provider == nil ? .accessToken : .tokenOrSignIn, subject: candidate.subject, of: candidate.named,
            [
                ("resource", .string(provider?.resource ?? settings.authority.place)), ("accepts", .strings(accepted)),
                ("claims", .optional(failure.claims)), ("maxAge", failure.maxAge.map(JSON.integer) ?? .null),
            ] + members,
            for: settings.authority.isService ? (.questionInvitation, nil) : nil)
    }
}
