import MAMPolicy
import MAMProtection
import MAMSupport

extension Store {
    /// Enroll an account in an app on a computer.
    ///
    /// The checks come in this order: which user it is, whether the user may enroll, whether a policy reaches them. `token`
    /// answers an earlier ``AuthorityFailure/needsToken``. An account whose enrollment here ended with a wipe is enrolled again
    /// only where the host asks for it. Wipes above the marks apply to what the state has of the account, so that no end of an enrollment
    /// without a wipe escapes them.
    package func enroll(
        _ account: AccountName, app: AppFacts, host: HostFacts, marks: WipeMarks = WipeMarks(), token: SecretBytes?,
        cause: EnrollmentCause, now: Instant
    ) throws(MAMError) -> Answer<Enrollment> {
        let user: User
        switch try find(account) {
        case .granted(let found): user = found
        case .refused(let failure):
            try checkIntegrity()
            return .refused(failure)
        }
        let renewal = try renewedRegistration(of: user, cause, app: app)
        if case .refused(let failure) = renewal { return .refused(failure) }
        let renewed: Registration? = if case .granted(let found) = renewal { found } else { nil }
        if let refusal = try refusal(of: user, app: app, host: host, token: token, isKnown: renewed != nil) {
            return .refused(refusal)
        }
        if isWritable { try removeStaleRegistrations(now: now) }
        if let renewed, try isBlocked(deviceTag: renewed.deviceTag) {
            return .refused(.deviceBlockedEnrollment, "")
        }
        if cause != .host, renewed == nil, try hasEndedWithWipe(user, app: app, host: host, cause) {
            return .refused(.authRequired, Store.wipedMessage)
        }
        let registration = try Store.newId()
        // Wipe requests for the former registration apply to the renewed one.
        let mark = if let renewed { renewed.wipeMark } else { try latestWipe(known: marks) }
        if isWritable {
            if let renewed { try remove(renewed) }
            try markFollowedByEnrollment(user, app: app, host: host)
            try register(registration, user: user, app: app, host: host, wipeMark: mark, now: now)
        }
        var enrollment = Enrollment(
            accountId: user.accountId, upn: user.upn, tenantId: user.tenantId, registration: registration,
            wipeMark: mark, exchangeMark: try exchangeEpoch(accountKey: user.accountKey))
        enrollment.identity = signed?.rows.identity
        return .granted(enrollment)
    }

    /// The latest wipe that does not apply to an enrollment: what the state has of the account may be older than the enrollment.
    private func latestWipe(known marks: WipeMarks) throws(MAMError) -> Int64 {
        let latest = try latestWipe()
        return min(marks.lowest(of: signed?.rows.identity) ?? latest, latest)
    }

    private static let wipedMessage =
        "The account was wiped in this app on this computer; whoever uses it signs in, and the host enrolls it again"

    /// The registration to renew; nil for other causes.
    private func renewedRegistration(
        of user: User, _ cause: EnrollmentCause, app: AppFacts
    ) throws(MAMError) -> Answer<Registration?> {
        guard case .renewal(let id) = cause else { return .granted(nil) }
        guard isWritable, let found = try registration(id, of: user, in: app) else {
            return .refused(.policyRecordGone, "")
        }
        return .granted(found)
    }

    /// The user of an account name. The id takes precedence; a UPN that no user has is then taken for a former one.
    private func find(_ account: AccountName) throws(MAMError) -> Answer<User> {
        func unknown(_ message: String, isRefused: Bool = true) -> Answer<User> {
            .refused(AuthorityFailure(.authRequired, message, isUserRefused: isRefused, for: .statusUnknownUser))
        }
        guard account.accountId != nil || account.upn != nil else { return .refused(.nilAccount, "") }
        let given = [account.accountId, account.upn].compactMap { $0 }
        guard given.allSatisfy({ (try? Identity($0)) != nil }) else {
            return unknown("The account's name cannot be one")
        }
        var byId: User?
        var byUPN: User?
        if let id = account.accountId { byId = try user(accountId: Identity(id)) }
        if let upn = account.upn { byUPN = try user(upn: Identity(upn)) }
        if account.accountId != nil, byId == nil {
            return unknown(
                byUPN == nil
                    ? "The authority knows no such user"
                    : "Another user has this UPN now, with another account id: unenroll this account, then sign in")
        }
        guard let user = byId ?? byUPN else { return unknown("The authority knows no such user") }
        if let byUPN, byUPN.row != user.row {
            return unknown("The account id and the UPN given belong to different users", isRefused: false)
        }
        if let tenant = account.tenantId, Identity.fold(tenant) != Identity.fold(user.tenantId) {
            return unknown("The user belongs to another tenant than the one given", isRefused: false)
        }
        return .granted(user)
    }

    private func refusal(
        of user: User, app: AppFacts, host: HostFacts, token: SecretBytes?, isKnown: Bool
    ) throws(MAMError) -> AuthorityFailure? {
        let refusal = try enrollmentRefusal(of: user, app: app, deviceTag: host.deviceTag)
        if refusal != .userDisabled, let hash = user.tokenHash, !isKnown {
            guard let token else {
                return AuthorityFailure(.authRequired, "The user needs an access token", needsToken: true)
            }
            guard token.withUnsafeBytes({ TokenHash.verify($0, against: hash) }) else {
                return AuthorityFailure(.authRequired, "The access token is not the user's")
            }
        }
        if refusal == .notTargeted { try checkIntegrity() }
        return refusal.map(AuthorityFailure.init)
    }
}

extension User {
    /// The code with which the service refuses the user; nil where it serves them.
    package var refusalCode: StatusCode? { isMigrating ? .tenantMigration : isLicensed ? nil : .accountNotLicensed }
}
