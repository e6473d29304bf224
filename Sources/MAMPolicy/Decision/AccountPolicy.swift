import MAMSupport

/// An account and its policy, as decisions need them.
public enum AccountPolicy: Sendable {
    /// A personal account, a name that is not enrolled, or no account.
    case unmanaged
    /// An account under policy.
    case managed(accountId: String, tenantId: String?, policy: EffectivePolicy)
}

/// The account at the other end of a transfer.
public enum TransferPeer: Sendable {
    /// NULL or "": the account is not known.
    case unknown
    /// The same account.
    case sameAccount
    /// Another account.
    case other(AccountPolicy)
    /// A name that receives nothing, whatever the policy; `why` is a clause for the refusal's message.
    case closed(why: String)
}

/// The relation of the peer's account to the one that decides.
enum Relation: Sendable {
    case unknown, sameAccount, sameTenant, otherTenant, unmanaged

    /// Whether the peer belongs to the same organisation; docs/policy.md "Saving and opening".
    var isOrganisation: Bool { self == .sameAccount || self == .sameTenant }

    /// The relation in words, to follow "the account there is …".
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

extension AccountPolicy {
    var policy: EffectivePolicy? { if case .managed(_, _, let policy) = self { policy } else { nil } }

    var rules: DecisionRules { policy?.rules ?? .free }

    private var tenant: [UInt8]? {
        guard case .managed(_, .some(let tenant), _) = self, !tenant.isEmpty else { return nil }
        return Identity.fold(tenant)
    }

    /// Returns the peer's relation to this account. Accounts of unknown tenants share no tenant.
    func relation(to peer: TransferPeer) -> Relation {
        switch peer {
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
    /// Returns whether the level permits a transfer to or from an account of this relation.
    func permits(_ relation: Relation) -> Bool {
        switch self {
        case .allApps: true
        case .managedApps, .organisation: relation.isOrganisation
        case .none: false
        }
    }
}
