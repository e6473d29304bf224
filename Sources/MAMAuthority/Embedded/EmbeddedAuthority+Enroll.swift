import MAMPolicy
import MAMProtection
import MAMSupport

extension EmbeddedAuthority {
    /// Let an account enroll: who it is comes first, then whether it may, then whether a policy reaches it.
    public func enroll(
        _ account: AccountName, app: AppFacts, host: HostFacts, token: SecretBytes?, cause: EnrollmentCause = .host
    ) throws(AuthorityFailure) -> Enrollment {
        try perform(.enroll) { (store) throws(MAMError) -> Answer<Enrollment> in
            let user: User
            switch try find(account, in: store) {
            case .granted(let found): user = found
            case .refused(let failure):
                try store.checkSound()
                return .refused(failure)
            }
            let former = try former(of: user, cause, app: app, in: store)
            if case .refused(let failure) = former { return .refused(failure) }
            let renewed: Registration? = if case .granted(let found) = former { found } else { nil }
            if let refusal = try refusal(
                of: user, app: app, host: host, token: token, isKnown: renewed != nil, in: store)
            {
                return .refused(refusal)
            }
            if store.isWritable { try store.removeSilent(now: now()) }
            if let renewed, try store.isBlocked(deviceTag: renewed.deviceTag) {
                return .refused(.deviceBlockedEnrollment, "")
            }
            if cause != .host, renewed == nil, try store.endedWithWipe(user, app: app, host: host, cause) {
                return .refused(.authRequired, EmbeddedAuthority.wasWiped)
            }
            let registration = try Store.newId()
            // What was asked of the former one is asked of this one.
            let mark = if let renewed { renewed.wipeMark } else { try store.latestWipe() }
            if store.isWritable {
                if let renewed { try store.remove(renewed) }
                try store.answerWipes(user, app: app, host: host)
                try store.register(registration, user: user, app: app, host: host, wipeMark: mark, now: now())
            }
            var enrollment = Enrollment(
                accountId: user.accountId, upn: user.upn, tenantId: user.tenantId, registration: registration,
                wipeMark: mark, exchangeMark: try store.exchangeEpoch(accountKey: user.accountKey))
            enrollment.identity = store.signed?.rows.identity
            return .granted(enrollment)
        }
    }

    private static let wasWiped =
        "The account was wiped in this app on this computer; whoever uses it signs in, and the host enrolls it again"

    /// The enrollment that is renewed; nil where it is another cause.
    private func former(
        of user: User, _ cause: EnrollmentCause, app: AppFacts, in store: Store
    ) throws(MAMError) -> Answer<Registration?> {
        guard case .renewal(let id) = cause else { return .granted(nil) }
        guard store.isWritable, let found = try store.registration(id, of: user, in: app) else {
            return .refused(.policyRecordGone, "")
        }
        return .granted(found)
    }

    /// The user that a name belongs to. The id decides where it is given; a UPN that nobody has is then an old one.
    private func find(_ account: AccountName, in store: Store) throws(MAMError) -> Answer<User> {
        func unknown(_ message: String) -> Answer<User> {
            .refused(AuthorityFailure(.authRequired, message, isUserRefused: true))
        }
        guard account.accountId != nil || account.upn != nil else { return .refused(.nilAccount, "") }
        let given = [account.accountId, account.upn].compactMap { $0 }
        guard given.allSatisfy({ (try? Identity($0)) != nil }) else {
            return unknown("The account's name cannot be one")
        }
        var byId: User?
        var byUPN: User?
        if let id = account.accountId { byId = try store.user(accountId: Identity(id)) }
        if let upn = account.upn { byUPN = try store.user(upn: Identity(upn)) }
        if account.accountId != nil, byId == nil {
            return unknown(
                byUPN == nil
                    ? "The authority knows no such user"
                    : "The user with this UPN has another account id than the one given")
        }
        guard let user = byId ?? byUPN else { return unknown("The authority knows no such user") }
        if let byUPN, byUPN.row != user.row {
            return .refused(.authRequired, "The account id and the UPN given belong to different users")
        }
        if let tenant = account.tenantId, Identity.fold(tenant) != Identity.fold(user.tenantId) {
            return .refused(.authRequired, "The user belongs to another tenant than the one given")
        }
        return .granted(user)
    }

    private func refusal(
        of user: User, app: AppFacts, host: HostFacts, token: SecretBytes?, isKnown: Bool, in store: Store
    ) throws(MAMError) -> AuthorityFailure? {
        guard user.isEnabled else {
            return AuthorityFailure(.authRequired, "The user is disabled", isUserRefused: true)
        }
        if let hash = user.tokenHash, !isKnown {
            guard let token else {
                return AuthorityFailure(.authRequired, "The user needs an access token", needsToken: true)
            }
            guard token.withUnsafeBytes({ TokenHash.verify($0, against: hash) }) else {
                return AuthorityFailure(.authRequired, "The access token is not the user's")
            }
        }
        if let code = user.standing { return AuthorityFailure(code, "") }
        if try store.isBlocked(deviceTag: host.deviceTag) { return AuthorityFailure(.deviceBlockedEnrollment, "") }
        guard try store.isTargeted(user, app: app) else {
            try store.checkSound()
            return AuthorityFailure(.licensedNotTargeted, "")
        }
        return nil
    }
}

extension User {
    /// Why the service does nothing for the user at present; nil where it does.
    var standing: StatusCode? { isMigrating ? .tenantMigration : isLicensed ? nil : .accountNotLicensed }
}
