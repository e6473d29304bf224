import MAMSupport

/// Somewhere data could be shared to, as far as decisions need it.
public struct ShareTarget: Sendable {
    /// What is known of the program.
    public enum Program: Sendable {
        /// It is managed; with the accounts that it has under policy.
        case managed([ManagedApp.Account])
        /// A scheme that managed apps alone take, by its name: which app that is nobody knows.
        case managedScheme
        case unmanaged(why: String)
    }

    let program: Program
    /// The account that is to get it; nil where the target itself chooses.
    let identity: Identity?
    /// That account as this app knows it; unknown for accounts of other apps.
    let counterpart: Counterpart

    /// A target; `isOwn` is this app itself, whose own accounts restrict what they take in.
    public init(
        _ query: AppQuery, in register: AppRegister, counterpart: Counterpart, program: (AppQuery.Name) -> Executable?
    ) {
        identity = query.identity
        self.counterpart = counterpart
        if case .scheme(let scheme) = query.name {
            self.program =
                LinkScheme.isManaged(scheme)
                ? .managedScheme
                : .unmanaged(why: "\(scheme) is not a managed app's scheme, and exemptions are for links alone")
            return
        }
        switch register.find(query, program: program) {
        case .managed(let apps): self.program = .managed(apps.flatMap { $0.entry?.accounts ?? [] })
        case .unmanaged(let why): self.program = .unmanaged(why: why)
        }
    }

    /// How it stands to an account that shares, and why not better.
    func relation(to accountId: String, _ tenant: String?) -> (relation: Relation, why: String) {
        switch program {
        case .unmanaged(let why): return (.unmanaged, "the target is not managed: \(why)")
        case .managedScheme:
            guard let identity, identity.folded != Identity.fold(accountId) else { return (.sameTenant, "") }
            switch counterpart {
            case .sameAccount: return (.sameAccount, "")
            default: return (.otherTenant, "who would get it cannot be told by a scheme")
            }
        case .managed(let accounts):
            let meant = identity.map { name in accounts.filter { $0.isNamed(name.folded) } } ?? accounts
            guard !meant.isEmpty else { return (.unmanaged, "the target does not have that account under policy") }
            if meant.contains(where: { $0.isNamed(Identity.fold(accountId)) }) { return (.sameAccount, "") }
            let mine = tenant.map { Identity.fold($0) } ?? []
            let isSameTenant = meant.contains { !mine.isEmpty && $0.tenantId.map { Identity.fold($0) } == mine }
            return isSameTenant
                ? (.sameTenant, "")
                : (.otherTenant, "the target has no account of the same tenant: this one must be added to it first")
        }
    }
}
