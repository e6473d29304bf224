import MAMPolicy
import MAMSupport

/// App configurations of accounts.
extension Snapshot {
    /// The merged configuration of several accounts; without members, of every enrolled one.
    func configurations(of identities: IdentitySet) throws(MAMError) -> AppConfigurations {
        var chosen: [Account] = []
        if let members = identities.members {
            for member in members {
                let account = try configured(member)
                if !chosen.contains(where: { $0 === account }) { chosen.append(account) }
            }
        } else {
            chosen = accounts.filter(\.isEnrolled)
            guard !chosen.isEmpty else {
                if let problem = problems.first { throw problem.error }
                throw Snapshot.notConfigured("no account is enrolled", nil)
            }
        }
        for account in chosen { if let problem = account.configurationProblem { throw problem } }
        let own = chosen.lazy.compactMap { self.device.configuration(for: $0) }.first
        if chosen.count == 1, own == nil { return chosen[0].configurations }
        return AppConfigurations(chosen.flatMap(\.configurations.all) + [own].compactMap { $0 })
    }

    private func configured(_ member: AccountArgument) throws(MAMError) -> Account {
        guard case .named(let identity) = member else {
            throw Snapshot.notConfigured("\"\" is no account and has no configuration", "")
        }
        try checkKnown(member)
        if let account = find(identity), account.isEnrolled { return account }
        if find(identity) == nil, let problem = problem(of: identity) { throw problem }
        throw notEnrolled(identity, "an app is configured from enrollment on")
    }

    private static func notConfigured(_ why: String, _ accountId: String?) -> MAMError {
        MAMError(
            .notEnrolled, "\(why): an app is configured from enrollment on",
            accountId.map { [("accountId", .string($0))] } ?? [])
    }
}
