import MAMSupport

/// An account as decisions see it.
public enum Party: Sendable {
    /// A person's own account, a name nobody enrolled, or nobody.
    case unmanaged
    /// An account under policy.
    case managed(accountId: String, tenantId: String?, policy: EffectivePolicy)
}

/// The account on the other side of a transfer, as the account that is asked about sees it.
public enum Counterpart: Sendable {
    /// NULL or "": nobody knows whose it is.
    case unknown
    /// The very same account.
    case sameAccount
    /// Another one.
    case other(Party)
    /// A name that receives nothing, whatever policy says; `why` is a clause for the refusal's message.
    case closed(why: String)
}

/// How two sides of a transfer stand to each other.
enum Relation: Sendable {
    case unknown, sameAccount, sameTenant, otherTenant, unmanaged

    /// Whether the other side is the organisation's as much as this one; docs/policy.md "Saving and opening".
    var isOrganisation: Bool { self == .sameAccount || self == .sameTenant }

    /// The relation as words that follow "the account there is …".
    var words: String {
        switch self {
        case .unknown: "not known"
        case .sameAccount: "the same"
        case .sameTenant: "of the same tenant"
        case .otherTenant: "of another tenant"
        case .unmanaged: "not managed"
        }
    }
}

extension Party {
    var policy: EffectivePolicy? { if case .managed(_, _, let policy) = self { policy } else { nil } }

    var rules: Rules { policy?.rules ?? .free }

    private var tenant: [UInt8]? {
        guard case .managed(_, .some(let tenant), _) = self, !tenant.isEmpty else { return nil }
        return Identity.fold(tenant)
    }

    /// How the other side stands to this one. Accounts whose tenant is not known share none.
    func relation(to counterpart: Counterpart) -> Relation {
        switch counterpart {
        case .unknown: return .unknown
        case .sameAccount: return .sameAccount
        case .closed: return .unmanaged
        case .other(let other):
            guard policy != nil, other.policy != nil else { return .unmanaged }
            guard let mine = tenant, let theirs = other.tenant, mine == theirs else { return .otherTenant }
            return .sameTenant
        }
    }
}

extension TransferLevel {
    /// Whether a transfer to or from the other side is within the level.
    func permits(_ relation: Relation) -> Bool {
        switch self {
        case .allApps: true
        case .managedApps, .organisation: relation.isOrganisation
        case .none: false
        }
    }
}
