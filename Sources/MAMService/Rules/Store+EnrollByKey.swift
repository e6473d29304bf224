import MAMDirectory
import MAMPolicy
import MAMSupport

/// A request to enroll, with what its signature has proved.
struct EnrollmentByKey {
    let account: AccountName
    let app: AppFacts
    let host: HostFacts
    /// The latest wipe that the app knows of for this account; nil where it knows nothing of the account.
    let wipeMark: Int64?
    /// The key that signed the request, as in SEC 1, and its thumbprint.
    let key: [UInt8]
    let thumbprint: String
    let sealKey: [UInt8]
    /// The digest of the invitation's code; nil where the request brings none.
    let invitation: [UInt8]?
    /// The registration that it renews under a new device tag, without an invitation; nil for none.
    var renewed: Registrant?
    /// The account that its token names, or why the token does not count; nil without a token.
    var signedIn: Result<SignedInAccount, TokenRefusal>?
}

extension Store {
    /// The result of an enrollment by a key.
    enum EnrollmentByKeyResult {
        case enrolled(Registrant, User, isNew: Bool)
        /// The app has to carry out this wipe first.
        case wipe(Int64, User)
    }

    /// Enroll the holder of a key. The same request again has the same result. The refusals come in the order of docs/protocol.md.
    func enroll(
        _ request: EnrollmentByKey, now: Instant
    ) throws(MAMError) -> Result<EnrollmentByKeyResult, Refusal> {
        let known = try registrant(thumbprint: request.thumbprint)
        let accountKey: [UInt8]
        if let known {
            guard known.end == nil, isSame(known, request) else { return .failure(.gone) }
            accountKey = known.accountKey
        } else if let renewed = request.renewed {
            guard renewed.end == nil, renewed.app == request.app.id else { return .failure(.gone) }
            accountKey = renewed.accountKey
        } else if let signedIn = request.signedIn {
            switch signedIn.mapError(\.refusal).flatMap({ $0.account(named: request.account) }) {
            case .success(let key): accountKey = key
            case .failure(let refusal): return .failure(refusal)
            }
        } else {
            guard let invited = try invitedAccount(request, now: now) else { return .failure(.needsToken) }
            accountKey = invited
        }
        let user: User
        switch try person(accountKey, named: request.account) {
        case .success(let found): user = found
        case .failure(let refusal): return .failure(refusal)
        }
        if let refusal = try enrollmentRefusal(of: user, app: request.app, deviceTag: request.host.deviceTag) {
            return .failure(Refusal(refusal))
        }
        if let known {
            guard try registration(known.registration, of: user, in: request.app) != nil else { return .failure(.gone) }
            return .success(.enrolled(known, user, isNew: false))
        }
        if let mark = request.renewed?.wipeMark ?? request.wipeMark,
            let wipe = try waitingWipe(user, request, after: mark)
        {
            return .success(.wipe(wipe, user))
        }
        return .success(.enrolled(try register(user, request, now: now), user, isNew: true))
    }

    private func isSame(_ known: Registrant, _ request: EnrollmentByKey) -> Bool {
        known.key == request.key && known.sealKey == request.sealKey && known.app == request.app.id
            && known.deviceTag == request.host.deviceTag
    }

    /// Whether the invitation that a request brings has enrolled somebody already.
    func hasUsedInvitation(_ request: EnrollmentByKey) throws(MAMError) -> Bool {
        guard let digest = request.invitation, let invitation = try invitation(digest) else { return false }
        return invitation.usedBy != nil
    }

    /// The account of the invitation that a request brings; nil where it brings none that holds.
    private func invitedAccount(_ request: EnrollmentByKey, now: Instant) throws(MAMError) -> [UInt8]? {
        guard let digest = request.invitation, let invitation = try invitation(digest),
            invitation.holds(for: request.app.id, now), invitation.usedBy == nil
        else { return nil }
        return invitation.accountKey
    }

    /// The user with an account key, whom the request has to name. The name is compared with this user alone, so that names cannot be
    /// tried out.
    private func person(_ accountKey: [UInt8], named account: AccountName) throws(MAMError) -> Result<User, Refusal> {
        guard let id = try? Identity(String(decoding: accountKey, as: UTF8.self)) else { return .failure(.userUnknown) }
        let user = try user(accountId: id)
        if let given = account.accountId {
            guard Identity.fold(given) == accountKey else { return .failure(.wrongUser) }
        } else {
            guard let user else { return .failure(.wrongUser) }
            guard let upn = account.upn, Identity.fold(upn) == Identity.fold(user.upn) else {
                return .failure(.wrongUser)
            }
        }
        guard let user else { return .failure(.userUnknown) }
        if let tenant = account.tenantId, Identity.fold(tenant) != Identity.fold(user.tenantId) {
            return .failure(.wrongUser)
        }
        return .success(user)
    }

    private func waitingWipe(_ user: User, _ request: EnrollmentByKey, after mark: Int64) throws(MAMError) -> Int64? {
        let tag = request.host.deviceTag
        return try pendingWipe(
            accountKey: user.accountKey, after: mark, app: request.app, tags: [tag, request.renewed?.deviceTag ?? tag])
    }

    /// Register a key in place of earlier ones of the same account, app and device. Wipes that waited for those are done: the app
    /// says that nothing is left, or that it has wiped.
    private func register(_ user: User, _ request: EnrollmentByKey, now: Instant) throws(MAMError) -> Registrant {
        let (app, host) = (request.app, request.host)
        try raiseSequence()
        for earlier in try registrants(of: user.accountKey, app: app.id, deviceTag: host.deviceTag) {
            try recordWiped(
                earlier.id, accountKey: user.accountKey, after: earlier.mark, app: app,
                tags: [host.deviceTag, host.deviceTag], now: now)
            try end(earlier.id, .replaced, now: now)
        }
        if let renewed = request.renewed {
            try remove(renewed)
            try end(renewed.registration, .replaced, now: now)
            try recordRenewal(of: renewed.deviceTag, by: host.deviceTag)
        }
        // A renewal lasts as long as the sign-in of the former registration.
        var signedIn = request.renewed?.signedIn
        if case .success(let account) = request.signedIn {
            try bind(account.person, to: user, now: now)
            signedIn = now
        }
        let registrant = Registrant(
            registration: "r-" + (try Store.newId()), key: request.key, sealKey: request.sealKey,
            accountId: user.accountId, accountKey: user.accountKey, app: app.id, deviceTag: host.deviceTag,
            wipeMark: try sequence(), exchangeMark: try exchangeEpoch(accountKey: user.accountKey), end: nil, wipe: nil,
            signedIn: signedIn)
        try register(
            registrant.registration, user: user, app: app, host: host, wipeMark: registrant.wipeMark, now: now)
        try add(registrant, thumbprint: request.thumbprint, now: now)
        if let digest = request.invitation, request.renewed == nil { try useInvitation(digest, by: request.thumbprint) }
        return registrant
    }
}

extension Refusal {
    /// The refusal of an enrollment.
    init(_ refusal: EnrollmentRefusal) {
        switch refusal {
        case .userDisabled: self = .userDisabled
        case .migrating: self = .migrating
        case .notLicensed: self = .notLicensed
        case .deviceBlocked: self = .deviceBlocked
        case .notTargeted: self = .notTargeted
        }
    }

    /// The refusal of a user whom the organisation does not serve now.
    init?(_ code: StatusCode?) {
        switch code {
        case .tenantMigration: self = .migrating
        case .accountNotLicensed: self = .notLicensed
        default: return nil
        }
    }
}
