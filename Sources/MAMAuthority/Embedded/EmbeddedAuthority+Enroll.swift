import MAMPolicy
import MAMProtection
import MAMSupport

extension EmbeddedAuthority {
    /// Let an account enroll: who it is comes first, then whether it may, then whether a policy reaches it.
    public func enroll(
        _ account: AccountName, app: AppFacts, host: HostFacts, token: SecretBytes?
    ) throws(AuthorityFailure) -> Enrollment {
        try perform(.enroll) { (store) throws(MAMError) -> Answer<Enrollment> in
            let user: User
            switch try find(account, in: store) {
            case .granted(let found): user = found
            case .refused(let failure):
                try store.checkSound()
                return .refused(failure)
            }
            if let refusal = try refusal(of: user, app: app, host: host, token: token, in: store) {
                return .refused(refusal)
            }
            if store.isWritable { try store.removeSilent(now: now()) }
            let registration = try Store.newId()
            let mark = try store.latestWipe()
            if store.isWritable {
                try store.register(registration, user: user, app: app, host: host, wipeMark: mark, now: now())
            }
            return .granted(
                Enrollment(
                    accountId: user.accountId, upn: user.upn, tenantId: user.tenantId, registration: registration,
                    wipeMark: mark, exchangeMark: try store.exchangeEpoch(accountKey: user.accountKey)))
        }
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
        of user: User, app: AppFacts, host: HostFacts, token: SecretBytes?, in store: Store
    ) throws(MAMError) -> AuthorityFailure? {
        guard user.isEnabled else {
            return AuthorityFailure(.authRequired, "The user is disabled", isUserRefused: true)
        }
        if let hash = user.tokenHash {
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
