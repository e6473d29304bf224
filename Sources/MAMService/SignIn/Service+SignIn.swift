import MAMDirectory
import MAMSupport

extension Service {
    /// The account that a token names, by the rules of the settings; nil without a token.
    func signedIn(
        _ token: Result<AccessToken, TokenRefusal>?, _ store: Store, _ now: Instant
    ) throws(MAMError) -> Result<SignedInAccount, TokenRefusal>? {
        guard let token else { return nil }
        guard let signIn else { return .failure(.notAccepted) }
        switch token.flatMap({ signIn.judge($0, now: now) }) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let person): return .success(try store.account(of: person))
        }
    }

    /// The problem of a check-in whose person has to sign in again, and brings no token that counts; nil where it may go on. Whoever
    /// enrolled by invitation is not asked.
    func signInProblem(
        of holder: Registrant, _ token: Result<AccessToken, TokenRefusal>?, _ store: Store, _ now: Instant
    ) throws(MAMError) -> Problem? {
        guard let signIn, let latest = holder.signedIn else { return nil }
        let isOver = signIn.frequency.map { latest + $0 <= now } ?? false
        guard isOver || latest == Store.endedSignIn else { return nil }
        var problem = try tokenProblem(of: holder, token, store, now)
        if latest == Store.endedSignIn { problem?.needsPerson() }
        return problem
    }

    /// The problem where a token is not of the registration's person, or there is none; nil where it is, which counts as a sign-in.
    func tokenProblem(
        of holder: Registrant, _ token: Result<AccessToken, TokenRefusal>?, _ store: Store, _ now: Instant
    ) throws(MAMError) -> Problem? {
        let signedIn = try signedIn(token, store, now)
        if case .failure(.providerUnavailable) = signedIn { return try problem(.busy, signedIn, store, now) }
        guard case .success(let account) = signedIn, case .success(let key?) = account.accountKey,
            key == holder.accountKey
        else { return try problem(.needsToken, signedIn, store, now) }
        if holder.signedIn != nil { try store.recordSignIn(holder.registration, now: now) }
        return nil
    }

    /// The problem of a refused enrollment. That of a token is recorded with its reason; apps ask without one first.
    func problem(
        _ refusal: Refusal, _ signedIn: Result<SignedInAccount, TokenRefusal>?, _ store: Store, _ now: Instant
    ) throws(MAMError) -> Problem {
        guard let signIn, let signedIn else { return Problem(refusal: refusal) }
        var reason: TokenRefusal?
        var subject = ""
        switch signedIn {
        case .failure(let found): reason = found
        case .success(let account):
            subject = account.person.subject
            if case .failure(let found) = account.accountKey { reason = found }
        }
        // A key whose registration has ended is refused whatever the token says.
        if reason?.refusal != refusal { reason = nil }
        try store.recordRefusal(
            reason?.rawValue ?? refusal.rawValue, issuer: signIn.issuer, subject: subject, now: now)
        return Problem(
            refusal: refusal, reason: reason, detail: reason?.detail ?? "",
            retryAfter: reason == .providerUnavailable ? 60 : nil)
    }
}
