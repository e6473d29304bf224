import MAMSupport

/// A target to share data with, as decisions need it.
public struct ShareTarget: Sendable {
    /// The target's program.
    public enum Program: Sendable {
        /// A managed program, with its managed accounts.
        case managed([ManagedApp.Account])
        /// A scheme whose name only managed apps register; the app itself is not known.
        case managedScheme
        case unmanaged(why: String)
    }

    let program: Program
    /// The account that is to receive the data; nil if the target chooses.
    let identity: Identity?
    /// The same account as this app knows it; `.unknown` for accounts of other apps.
    let peer: TransferPeer

    /// Resolves a target in the registry.
    public init(
        _ query: AppQuery, in register: RegisteredApps, peer: TransferPeer, program: (AppQuery.Name) -> Executable?
    ) {
        identity = query.identity
        self.peer = peer
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

    /// Returns the target's relation to the sharing account, and the reason that it is not a closer one.
    func relation(to accountId: String, _ tenant: String?) -> (relation: Relation, why: String) {
        switch program {
        case .unmanaged(let why): return (.unmanaged, "the target is not managed: \(why)")
        case .managedScheme:
            guard let identity, identity.folded != Identity.fold(accountId) else { return (.sameTenant, "") }
            switch peer {
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
