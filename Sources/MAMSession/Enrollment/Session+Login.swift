import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Enrolling accounts that were not registered: who signs in, or whom the device names.
extension Session {
    /// `mam_login_and_enroll`: the account is registered only when it is enrolled.
    public func loginAndEnroll(_ argument: AccountArgument) throws(MAMError) -> Int64 {
        try checkRoom()
        let snapshot = try current()
        let hint: AccountName?
        switch argument {
        case .noUser:
            throw .argument(
                "account", "is \"\", which nobody enrolls; name who signs in, or nobody for the device's account",
                originalCode: 207)
        case .notGiven:
            let own = snapshot.device.accounts.account
            hint = if own == nil, hasRoomForAccount(snapshot) { try groupAccount(snapshot) } else { own }
        case .named(let identity):
            let isUPN = identity.folded.contains(UInt8(ascii: "@"))
            hint = isUPN ? AccountName(upn: identity.text) : AccountName(accountId: identity.text)
        }
        if isExtension(snapshot) { return tell(.unsupportedAPI, hint) }
        if let hint {
            if let refusal = registrationRefusal(hint, snapshot) { return tell(refusal, hint) }
            let known = snapshot.accounts.first { Session.isSame($0.record, hint) }
            if known?.isEnrolled ?? false { return tell(.alreadyEnrolled, hint) }
        }
        var attempt = SignIn(step: hint.map { .quietly($0) } ?? .ask, hint: hint, purpose: .login)
        if case .named = argument { attempt.isNamed = true }
        return start(.signIn(attempt))
    }

    /// Carry a sign-in on by one step.
    func carryOut(_ attempt: SignIn) throws(MAMError) -> Outcome {
        switch attempt.step {
        case .quietly(let name): return try enrollQuietly(name, attempt)
        case .ask:
            switch askToSignIn(attempt) {
            case .answer(.account(let name)): return .next(.signIn(attempt.at(.signedIn(name))))
            case .answer:
                return ended(
                    told(status(.loginCanceled, accountId: attempt.hint?.accountId, upn: attempt.hint?.upn), attempt),
                    attempt)
            case .later(let question): return .later(question: question)
            case .abandoned: return .abandoned
            }
        case .signedIn(let name):
            let candidate = try candidate(name)
            if case .known(let account) = candidate, account.isEnrolled {
                let code = device.refusal(of: account.record) ?? .alreadyEnrolled
                return ended(told(status(code, of: account), attempt), attempt)
            }
            let outcome = try enroll(candidate, isQuiet: false, .host)
            guard case .ended(.enrollment(let status)) = outcome else { return outcome }
            return ended(status, attempt)
        }
    }

    /// With what is at hand. Who the account is, or that it may come in, is for a person to show.
    private func enrollQuietly(_ name: AccountName, _ attempt: SignIn) throws(MAMError) -> Outcome {
        let registered = try current().accounts.filter { $0.state != .unenrolled }.map(\.row.id)
        let outcome = try enroll(try candidate(name), isQuiet: true, attempt.isNamed ? .host : .itself)
        guard case .ended(.enrollment(let status)) = outcome else { return outcome }
        // Enrolled, whatever became of its policy request: that much is told.
        let account = try current().accounts.first { $0.isEnrolled && Session.isSame($0.record, name) }
        guard account != nil || status.code.isSuccess else {
            if status.code == .authRequired, attempt.mayAsk { return .next(.signIn(attempt.at(.ask))) }
            return ended(told(status, attempt), attempt)
        }
        if status.code == .alreadyEnrolled { _ = told(status, attempt) }
        // The device has named somebody whom the host has not.
        if attempt.isLaunch, let account, !registered.contains(account.row.id) {
            return .next(.launch(.introduce(account.row.id, status)))
        }
        return ended(status, attempt)
    }

    private func ended(_ status: EnrollmentStatus, _ attempt: SignIn) -> Outcome {
        attempt.isLaunch ? .next(.launch(.judge(status))) : .done(status)
    }

    private func candidate(_ name: AccountName) throws(MAMError) -> Candidate {
        let known = try current().accounts.first { $0.state != .unenrolled && Session.isSame($0.record, name) }
        return known.map { .known($0) } ?? .named(name)
    }

    private func askToSignIn(_ attempt: SignIn) -> Asked {
        let hint = attempt.hint
        return ask(
            .signIn, subject: (hint?.accountId ?? "") + " " + (hint?.upn ?? ""),
            of: NamedAccount(accountId: hint?.accountId, upn: hint?.upn),
            [("resource", .string(settings.authorityPath))] + signingIn)
    }

    /// A login's end is an event; a launch tells of it in its report.
    private func told(_ status: EnrollmentStatus, _ attempt: SignIn) -> EnrollmentStatus {
        if !attempt.isLaunch { emit("enrollmentRequest", status) }
        return status
    }
}
