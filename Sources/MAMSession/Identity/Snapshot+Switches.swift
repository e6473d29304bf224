import MAMPolicy
import MAMState
import MAMSupport

/// Rules of identity switches.
extension Snapshot {
    /// The reason why the host is asked before a link of an account is opened while these identities are in effect; nil where it
    /// need not be.
    func reasonToAskBeforeLink(of owner: AccountArgument, in shown: IdentitySet) -> String? {
        let subject = PolicySubject(shown)
        if subject.members.contains(where: { isSame($0, owner) }) { return nil }
        guard case .unmanaged = accountPolicy(of: owner) else { return "the link is another account's" }
        let decision = accountPolicy(of: subject).receive(from: peer(owner, of: subject))
        return decision.allowed ? nil : decision.reason?.message ?? "policy refuses the link"
    }

    /// The reason why a switch is not allowed, whatever the state of its accounts; nil where it may be.
    func refusal(of request: SwitchRequest) -> String? {
        guard let members = request.identities.members else { return nil }
        if let thread = request.thread, thread != .notGiven {
            guard members.contains(where: { isSame($0, thread) }), members.count == 1 else {
                return "the calling thread carries another identity; pop it, or ask from another thread"
            }
        }
        guard !settings.bool(SettingKey.multiManagedIdentities) else { return nil }
        let named = request.identities.names.compactMap { find($0) }
        if Set(named.filter { $0.policy != nil }.map(\.row.id.bytes)).count > 1 {
            return "showing several managed accounts needs the setting MultiManagedIdentities"
        }
        return foreignColleague(request.identities.names)
    }

    /// In a host with one managed account, the reason why another user of its organisation may not be shown.
    private func foreignColleague(_ names: [Identity]) -> String? {
        let enrolled = accounts.filter(\.isEnrolled).map(\.person)
        for name in names {
            let person = find(name)?.person ?? Person(names: [name.folded], tenantId: nil)
            if enrolled.contains(where: { $0.isSame(as: person) }) { continue }
            if enrolled.contains(where: { $0.sharesOrganisation(with: person) }) {
                return "\(name.text) belongs to the organisation whose one account is enrolled here; "
                    + "unenroll that one first, or allow several with the setting MultiManagedIdentities"
            }
        }
        return nil
    }

    /// Whether two arguments mean one account, or both no user.
    private func isSame(_ a: AccountArgument, _ b: AccountArgument) -> Bool {
        if let a = a.identity, let b = b.identity { return isSame(a, b) }
        return a == b
    }
}

extension Account {
    fileprivate var person: Person { Person(names: names, tenantId: record.tenantId) }
}
