import MAMPolicy
import MAMSupport

/// Policy decisions for accounts, and between an account and its peer.
extension Snapshot {
    /// The policy of a name.
    func accountPolicy(of argument: AccountArgument) -> AccountPolicy {
        guard case .named(let identity) = argument else { return .unmanaged }
        if let account = find(identity) {
            // Re-registered while its wipe is under way: closed until the wipe is done.
            if account.policy == nil, wipe(of: identity) != nil { return .lockedDown(.wiping) }
            return account.accountPolicy
        }
        if wipe(of: identity) != nil { return .lockedDown(.wiping) }
        // A closed account may have this name.
        if let problem = problem(of: identity) { return .lockedDown(.closed(problem)) }
        return .unmanaged
    }

    /// The policy of a subject. Several accounts with a managed one among them are locked down, not merged.
    func accountPolicy(of subject: PolicySubject) -> AccountPolicy {
        if let one = subject.one(self) { return accountPolicy(of: one) }
        let isManaged = subject.members.contains { member in
            if case .managed = accountPolicy(of: member) { true } else { false }
        }
        return isManaged ? .lockedDown(.severalAccounts) : .unmanaged
    }

    /// The policy by which a subject's own data is released: closed for a name for which nothing is stored.
    func ownPolicy(of subject: PolicySubject) -> AccountPolicy {
        let policy = accountPolicy(of: subject)
        guard case .unmanaged = policy, let cause = subject.names.lazy.compactMap(refusalToRelease).first else {
            return policy
        }
        return .lockedDown(cause)
    }

    /// The peer that data comes from.
    func peer(_ argument: AccountArgument, of own: PolicySubject) -> TransferPeer {
        guard case .named(let identity) = argument else { return .unknown }
        if own.names.contains(where: { isSame($0, identity) }) { return .sameAccount }
        return .other(accountPolicy(of: argument))
    }

    /// The peer that data goes to: closed for a name that has left, and for an unregistered one that looks like the organisation's.
    func receiver(_ argument: AccountArgument, of own: PolicySubject) -> TransferPeer {
        let peer = peer(argument, of: own)
        guard case .other(.unmanaged) = peer, let identity = argument.identity,
            let why = refusalToReceive(identity)
        else { return peer }
        return .closed(why: why)
    }

    /// The result of a predicate function.
    func answer(_ predicate: Predicate, of policy: AccountPolicy) -> Bool {
        decide(.predicate(predicate), policy, .unknown).allowed != predicate.isRequirement
    }

    /// The decision about an action. A keyboard sees input for every account of the program, so one policy that blocks third-party
    /// keyboards blocks them for accounts without a policy too.
    func decide(_ action: CheckRequest.Action, _ policy: AccountPolicy, _ peer: TransferPeer) -> Decision {
        let facts = deviceFacts
        let own = policy.decide(action, peer, device: facts)
        guard case .predicate(.thirdPartyKeyboards) = action, case .unmanaged = policy else { return own }
        let others = accounts.lazy.map { $0.accountPolicy.decide(action, peer, device: facts) }
        return others.first { !$0.allowed } ?? own
    }
}
