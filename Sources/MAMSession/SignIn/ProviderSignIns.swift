import CProcess
import MAMAuthority
import MAMPolicy
import MAMProtection
import MAMSupport

/// Signs people in at the provider of a service, in place of a token of the host's.
protocol ProviderSigningIn: AnyObject, Sendable {
    /// Begin a sign-in: the host shows the person how, and the operation polls. `canBrowse`: a browser of this computer can be opened;
    /// `demands` are those of the authority.
    func begin(
        _ subject: String, _ account: NamedAccount, _ client: ProviderClient?, canBrowse: Bool, demands: SignInDemands
    ) throws(MAMError) -> SignInProgress
    /// Go on with a sign-in; nil if none has begun for the subject.
    func resume(_ subject: String) throws(MAMError) -> SignInProgress?
    /// Forget a sign-in: its token was used, or it failed. Returns the refresh token that it brought, for the caller to keep or revoke.
    func end(_ subject: String) -> RefreshToken?
    /// Whether a sign-in has begun for a subject.
    func isPending(_ subject: String) -> Bool
}

/// The consequence of a sign-in for the request that needs its token.
enum SignInProgress {
    /// A token, and the key to which it is bound; nil for a bearer token.
    case token(SecretBytes, RequestKey?)
    /// The person has not signed in yet.
    case pending(StepResult)
    case failed(AuthorityFailure)
}

/// Sign-ins by libmam at the provider of a service, for hosts without a token. They are in memory alone: a session that closes gives
/// them up. Steps of the lane of requests use this, one at a time.
final class ProviderSignIns: SessionService, ProviderSigningIn, Sendable {
    let context: SessionContext
    private let contents = Locked(Contents())

    private struct Contents {
        /// By the subject of the questions.
        var attempts: [String: Attempt] = [:]
        var lastNumber: Int64 = 0
    }

    private struct Attempt {
        let client: ProviderClient
        var grant: SignInGrant
        /// The monotonic time at which it expires.
        let until: Int64
        var nextPoll: Int64
        /// The question that a cancelled sign-in answers; nil once the host has answered that it shows the code.
        var question: Int64?
        /// Ends with an interrupt of the host.
        let wait: InterruptSource.Wait
        /// The tokens, until the request that needs one is over.
        var tokens: GrantedTokens?
    }

    init(_ context: SessionContext) { self.context = context }

    /// The locks, in locking order.
    var locks: [any ForkAware] { [contents] }

    func isPending(_ subject: String) -> Bool { contents.withLock { $0.attempts[subject] != nil } }

    func begin(
        _ subject: String, _ account: NamedAccount, _ client: ProviderClient?, canBrowse: Bool, demands: SignInDemands
    ) throws(MAMError) -> SignInProgress {
        guard let client else { return .failed(AuthorityFailure(.adalMethodUnsupported)) }
        let wait = interrupts.beginWait(isForNetwork: true)
        let grant: SignInGrant
        let begun = try requestFromAuthority { () throws(AuthorityFailure) in
            try client.begin(canBrowse: canBrowse, hint: account.upn, demands: demands)
        }
        switch begun {
        case .failure(let failure): return .failed(failure)
        case .success(let begun): grant = begun
        }
        let now = process_clock_monotonic_ms()
        var attempt = Attempt(
            client: client, grant: grant, until: now &+ grant.lifetime.milliseconds,
            nextPoll: now &+ grant.interval.milliseconds, wait: wait)
        switch ask(subject, account, client.provider, grant) {
        case .later(let question): attempt.question = question
        case .answer(.bool(true)): break
        case .answer: return .failed(ProviderSignIns.cancelled)
        case .abandoned: return .pending(.abandoned)
        }
        keep(attempt, subject)
        return .pending(ProviderSignIns.next(attempt))
    }

    func resume(_ subject: String) throws(MAMError) -> SignInProgress? {
        guard var attempt = contents.withLock({ $0.attempts[subject] }) else { return nil }
        if let tokens = attempt.tokens { return .token(tokens.access, tokens.key) }
        if attempt.wait.isInterrupted { return try failed(.interruptedSignIn, subject) }
        if let question = attempt.question {
            switch events.look(at: question) {
            case .unanswered: break
            case .answered(.bool(true)): attempt.question = nil
            case .answered: return try failed(ProviderSignIns.cancelled, subject)
            // The operation that asked has ended meanwhile.
            case .closed:
                giveUp(subject)
                return nil
            }
        }
        let now = process_clock_monotonic_ms()
        guard now < attempt.until else { return try failed(.expiredSignIn, subject) }
        if now >= attempt.nextPoll {
            let polled = try requestFromAuthority { () throws(AuthorityFailure) in
                try attempt.grant.poll(attempt.client, now: now, thanks: settings.language.text(.questionSignInEnded))
            }
            switch polled {
            case .failure(let failure): return try failed(failure, subject)
            case .success(.granted(var tokens)):
                // Nobody has asked for a refresh token.
                if !attempt.client.provider.isRefreshing { revokeLater(tokens.withoutRefresh()) }
                attempt.tokens = tokens
                keep(attempt, subject)
                return .token(tokens.access, tokens.key)
            case .success(.pending):
                attempt.nextPoll = process_clock_monotonic_ms() &+ attempt.grant.interval.milliseconds
            }
        }
        keep(attempt, subject)
        return .pending(ProviderSignIns.next(attempt))
    }

    func end(_ subject: String) -> RefreshToken? {
        contents.withLock { $0.attempts.removeValue(forKey: subject)?.tokens?.refresh }
    }

    private func giveUp(_ subject: String) { revokeLater(end(subject)) }

    /// The session closes: tokens that no request has used yet are kept in the state until they are revoked.
    func giveUpAll() { for subject in contents.withLock({ Array($0.attempts.keys) }) { giveUp(subject) } }

    private func failed(_ failure: AuthorityFailure, _ subject: String) throws(MAMError) -> SignInProgress {
        if failure.isInterrupted, operations.queues.isClosing { throw .interrupted }
        giveUp(subject)
        return .failed(failure)
    }

    private func keep(_ attempt: Attempt, _ subject: String) { contents.withLock { $0.attempts[subject] = attempt } }

    /// Wait for the next poll, or for the person to cancel.
    private static func next(_ attempt: Attempt) -> StepResult {
        let moment = min(attempt.nextPoll, attempt.until)
        return attempt.question.map { .poll(question: $0, at: moment) } ?? .again(at: moment)
    }

    private static var cancelled: AuthorityFailure {
        AuthorityFailure(.loginCanceled, "the person cancelled, or the app does not show how to sign in")
    }

    /// Have the host show the code. Each code is a question of its own.
    private func ask(
        _ subject: String, _ account: NamedAccount, _ provider: Provider, _ grant: SignInGrant
    ) -> Events.Asked {
        let number = contents.withLock { contents in
            contents.lastNumber += 1
            return contents.lastNumber
        }
        return events.ask(
            .signInPage, subject: "\(subject) \(number)", of: account,
            [
                ("resource", .string(settings.authority.place)), ("issuer", .string(provider.issuer)),
                ("clientId", .string(provider.clientId)),
                ("expires", .string((clock.now() + grant.lifetime).rfc3339)),
            ] + grant.members,
            for: grant.isInBrowser ? (.questionSignInBrowser, nil) : (.questionSignInCode, nil), within: grant.lifetime)
    }
}
