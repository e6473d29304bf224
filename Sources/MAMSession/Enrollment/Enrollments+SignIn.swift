import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Enrolling unregistered accounts: one that signs in, or one that the device names.
extension Enrollments {
    /// Carry out one step of a sign-in.
    func carryOut(_ attempt: SignIn) throws(MAMError) -> StepResult {
        switch attempt.step {
        case .quietly(let name): return try enrollQuietly(name, attempt)
        case .ask(let refusal):
            switch askToSignIn(attempt) {
            case .answer(.account(let name)): return .next(.signIn(attempt.at(.signedIn(name))))
            case .answer: return ended(report(unanswered(attempt, refusal), attempt), attempt)
            case .later(let question): return .later(question: question)
            case .abandoned: return .abandoned
            }
        case .signedIn(let name):
            let candidate = try candidate(name)
            if case .known(let account) = candidate, account.isEnrolled {
                let code = snapshots.latest.device.accounts.refusalCode(of: account.record) ?? .alreadyEnrolled
                return ended(report(status(code, of: account), attempt), attempt)
            }
            let outcome = try enroll(candidate, isQuiet: false, .host)
            guard case .ended(.enrollment(let status)) = outcome else { return outcome }
            return ended(status, attempt)
        }
    }

    /// Enroll without asking anyone to sign in. If the authority requires a sign-in and the attempt allows it, ask next.
    private func enrollQuietly(_ name: AccountName, _ attempt: SignIn) throws(MAMError) -> StepResult {
        let registered = try current().accounts.filter { $0.state != .unenrolled }.map(\.row.id)
        let candidate = try candidate(name)
        let outcome = try enroll(candidate, isQuiet: true, attempt.isNamed ? .host : candidate.causeOfRepetition)
        guard case .ended(.enrollment(let status)) = outcome else { return outcome }
        // The enrollment may have succeeded although its policy request failed.
        let account = try current().accounts.first { $0.isEnrolled && name.matches($0.record) }
        guard account != nil || status.code.isSuccess else {
            if status.code == .authRequired, attempt.mayAsk { return .next(.signIn(attempt.at(.ask(refused: status)))) }
            return ended(report(status, attempt), attempt)
        }
        if status.code == .alreadyEnrolled { _ = report(status, attempt) }
        // The device named an account that the host does not know: introduce it.
        if attempt.isLaunch, let account, !registered.contains(account.row.id) {
            return .next(.launch(.askToAdd(account.row.id, status)))
        }
        return ended(status, attempt)
    }

    private func ended(_ status: EnrollmentStatus, _ attempt: SignIn) -> StepResult {
        attempt.isLaunch ? .next(.launch(.beginChecks(status))) : .done(status)
    }

    /// The result where nobody signed in: what the authority refused, where a sign-in would not have helped or nobody could be
    /// asked.
    private func unanswered(_ attempt: SignIn, _ refusal: EnrollmentStatus?) -> EnrollmentStatus {
        if let refusal, refusal.messageKey != StatusCode.authRequired.messageKey || !events.hasHost { return refusal }
        return status(.loginCanceled, accountId: attempt.hint?.accountId, upn: attempt.hint?.upn)
    }

    private func candidate(_ name: AccountName) throws(MAMError) -> Candidate {
        let known = try current().accounts.first { $0.state != .unenrolled && name.matches($0.record) }
        return known.map { .known($0) } ?? .named(name)
    }

    private func askToSignIn(_ attempt: SignIn) -> Events.Asked {
        let hint = attempt.hint
        return events.ask(
            .signIn, subject: (hint?.accountId ?? "") + " " + (hint?.upn ?? ""),
            of: NamedAccount(accountId: hint?.accountId, upn: hint?.upn),
            [("resource", .string(settings.authority.place))] + snapshots.latest.signIn(settings))
    }

    /// Emit the result of a login as an event; a launch includes it in its report.
    private func report(_ status: EnrollmentStatus, _ attempt: SignIn) -> EnrollmentStatus {
        if !attempt.isLaunch { events.emit(.enrollmentRequest, status) }
        return status
    }
}
