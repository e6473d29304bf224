import MAMPolicy
import MAMState
import MAMSupport

/// The meaning of a name in this app at a snapshot; docs/identity.md.
enum NameStatus {
    /// An account under policy. Its data may be closed: `problem` is set where its rows do not verify.
    case managed(Account)
    /// The account cannot be read, or it is not known whether an account that cannot be read has this name.
    case closed(MAMError)
    /// The account is being wiped.
    case wiping
    /// The account has left this app: nothing new is stored for the name.
    case retired
    /// Registered, and not managed; nil where the host registered the name without enrolling it.
    case unmanaged(Account?)
    /// Not registered, and in a domain of the organisation or like a name there.
    case unregisteredWorkName
    /// A person's own account.
    case personal
}

extension Snapshot {
    /// The meaning of a name.
    func status(of identity: Identity) -> NameStatus {
        let account = find(identity)
        if let account, account.policy != nil { return .managed(account) }
        if account == nil, let problem = problem(of: identity) { return .closed(problem) }
        if wipe(of: identity) != nil { return .wiping }
        switch names {
        case .failure(let problem): return account?.state == .enrolled ? .unmanaged(account) : .closed(problem)
        case .success(let stored):
            if let account, account.hasLeft { return .retired }
            if account?.state != .enrolled, stored.isRetired(identity.folded) { return .retired }
            if account != nil || stored.isRegistered(identity.folded) { return .unmanaged(account) }
            // The domains that the host states replace all others.
            if opened.organizationDomains == nil, stored.isInDomainOfRetired(identity.folded) {
                return .unregisteredWorkName
            }
        }
        let looksLikeWork = organization.containsOrResembles(identity.folded) || resemblesAccount(identity)
        return looksLikeWork || wasGivenForWork(identity) ? .unregisteredWorkName : .personal
    }

    /// Whether a name without "@" is an account id or a UPN of this app that is misspelt, lacks its domain, has other hyphens or
    /// something beside it.
    private func resemblesAccount(_ identity: Identity) -> Bool {
        let (at, hyphen) = (UInt8(ascii: "@"), UInt8(ascii: "-"))
        guard !identity.folded.contains(at) else { return false }
        if isUPNWithoutDomain(identity) { return true }
        let bare = identity.folded.filter { $0 != hyphen }
        return namesOfAccounts.lazy.map { $0.filter { $0 != hyphen && $0 != at } }.contains { name in
            NearestName.isMisspelt(bare, of: name)
                || name.count >= 8 && bare.indices.contains { bare[$0...].starts(with: name) }
        }
    }

    private var namesOfAccounts: [[UInt8]] {
        accounts.flatMap(\.names) + unopenable.flatMap { ($0.tag?.allNames ?? []).map { Identity.fold($0) } }
    }

    /// Whether a name is the part of an account's UPN before its "@".
    func isUPNWithoutDomain(_ identity: Identity) -> Bool {
        namesOfAccounts.contains { $0.starts(with: identity.folded + [UInt8(ascii: "@")]) }
    }

    /// Whether the host gave a work name that was replaced by the id of an account that has left since.
    private func wasGivenForWork(_ identity: Identity) -> Bool {
        identity.given.flatMap { try? Identity($0) }.map(isKnownOrLooksLikeWork) ?? false
    }

    /// Whether a name is an account's, was one's, or looks like one of the organisation.
    func isKnownOrLooksLikeWork(_ identity: Identity) -> Bool {
        switch status(of: identity) {
        case .personal: false
        case .closed: find(identity) != nil
        case .managed, .wiping, .retired, .unmanaged, .unregisteredWorkName: true
        }
    }

    /// Whether every name that no account has, and that does not look like the organisation's, is a person's own.
    var areUnlistedNamesPersonal: Bool {
        guard case .success(let stored) = names, wipes.isEmpty, unopenable.isEmpty else { return false }
        return !stored.hasRetired && !accounts.contains(where: \.hasLeft)
    }

    /// The reason why data does not go to an account that has left.
    static let accountLeftClause = "the account there was wiped or unenrolled in this app"

    /// The reason why data does not go to a name, as a clause; nil where the name's own policy decides.
    func refusalToReceive(_ identity: Identity) -> String? {
        switch status(of: identity) {
        case .retired: Snapshot.accountLeftClause
        case .unregisteredWorkName:
            "the account there is not registered with this app, but looks like a name of the organisation"
                + " (mam_register_account makes it known)"
        default: nil
        }
    }

    /// The reason why data of a name is not released, for a name for which nothing is stored; nil where its policy decides.
    func refusalToRelease(_ identity: Identity) -> LockDownCause? {
        switch status(of: identity) {
        case .retired: .accountLeft
        case .unregisteredWorkName: .unregisteredWorkName(hint(for: identity))
        default: nil
        }
    }

    /// The argument with the name that does not change: the account's object id, where that is known.
    func stable(_ argument: AccountArgument) -> AccountArgument {
        guard let given = argument.identity, let id = find(given)?.record.accountId,
            let identity = try? given.replaced(by: id)
        else { return argument }
        return .named(identity)
    }

    /// A clause that names the account of this app that a mistyped name probably means.
    private func hint(for identity: Identity) -> String {
        let names = accounts.flatMap { [$0.record.upn, $0.record.accountId].compactMap(\.self) }
        let others = names.map { Identity.fold($0) }.filter { $0 != identity.folded }
        guard let nearest = NearestName.find(identity.folded, among: others),
            let meant = names.first(where: { Identity.fold($0) == nearest })
        else { return "" }
        return " (did you mean \(meant)?)"
    }

    /// The error for a name of no enrolled account, where only such an account has what is asked for.
    func notEnrolled(_ identity: Identity, _ consequence: String) -> MAMError {
        let isRetired = if case .retired = status(of: identity) { true } else { false }
        let why = isRetired ? "was wiped or unenrolled in this app" : "is not enrolled in this app"
        return MAMError(
            .notEnrolled, "\(identity.text) \(why)\(hint(for: identity)): \(consequence)",
            [("accountId", .string(identity.text))], for: isRetired ? .errorAccountRemoved : nil)
    }

    /// The error for a name that is not registered.
    func notRegistered(_ identity: Identity) -> MAMError {
        MAMError(
            .notRegistered,
            "\(identity.text) is not registered with this app\(hint(for: identity)); mam_registered_accounts lists those that are",
            [("accountId", .string(identity.text))])
    }

    /// Returns the error where nothing is stored or released for a name that has left, or that is not registered.
    func error(for identity: Identity, _ status: NameStatus, _ refusalClause: String) -> MAMError? {
        let detail: [(key: String, value: JSON)] = [("accountId", .string(identity.text))]
        switch status {
        case .managed, .unmanaged, .personal: return nil
        case .closed(let problem): return problem
        case .wiping:
            return MAMError(.notEnrolled, "the account is being wiped: \(refusalClause)", detail, for: .launchWipe)
        case .retired:
            return MAMError(
                .notEnrolled,
                "the account was wiped or unenrolled in this app: \(refusalClause); register it again with"
                    + " mam_register_and_enroll or mam_login_and_enroll to use its name",
                detail, for: .errorAccountRemoved)
        case .unregisteredWorkName:
            return MAMError(
                .notFound,
                "\(identity.given ?? identity.text) is not registered with this app, but looks like a name of its organisation"
                    + "\(hint(for: identity)). Register the name with mam_register_account if it is meant, or name \"\" for"
                    + " no user",
                detail, for: .errorUnknownName)
        }
    }

    /// Fails for a name that is not registered and never was, where the session refuses such names (`"unknownIdentities":"error"`).
    func checkKnown(_ argument: AccountArgument) throws(MAMError) {
        guard opened.refusesUnknownIdentities, case .named(let identity) = argument, find(identity) == nil,
            // An account that cannot be read is closed, not unknown.
            problem(of: identity) == nil, wipe(of: identity) == nil,
            (try? names.get()).map({ $0.isRegistered(identity.folded) || $0.isRetired(identity.folded) }) != true
        else { return }
        throw MAMError(
            .notFound,
            "\(identity.text) is not registered with this app\(hint(for: identity)), and the session refuses unknown names"
                + " (unknownIdentities: error)",
            [("accountId", .string(identity.text))], for: .errorUnknownName)
    }

    /// Fails for a name for which nothing may be stored or released.
    func checkName(_ argument: AccountArgument, refusalClause: String) throws(MAMError) {
        guard case .named(let identity) = argument else { return }
        if let error = error(for: identity, status(of: identity), refusalClause) { throw error }
        try checkKnown(argument)
    }

    /// Whether two names mean one account, as far as is known.
    func isSame(_ a: Identity, _ b: Identity) -> Bool {
        if a == b { return true }
        if let account = find(a) { return find(b) === account }
        return wipes.contains { $0.isOf(a) && $0.isOf(b) }
    }
}
