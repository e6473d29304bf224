import MAMPolicy
import MAMSupport

/// What a `mam_app_config_t` stands for: what the app was configured with when it was asked for. It does not follow changes,
/// so that the answers of one handle fit together.
public final class ConfigurationHandle: Sendable {
    /// The session that it belongs to.
    public let session: Session
    /// Its dictionaries and what they answer.
    public let configurations: AppConfigurations

    init(session: Session, configurations: AppConfigurations) {
        self.session = session
        self.configurations = configurations
    }
}

extension Session {
    /// `mam_app_config`.
    public func appConfiguration(of identities: Identities) throws(MAMError) -> ConfigurationHandle {
        ConfigurationHandle(session: self, configurations: try configurations(of: identities))
    }

    /// What several accounts are configured with together; null is every enrolled one.
    func configurations(of identities: Identities) throws(MAMError) -> AppConfigurations {
        let snapshot = try current()
        var accounts: [Account] = []
        if let members = identities.members {
            for member in members {
                let account = try configured(member, snapshot)
                if !accounts.contains(where: { $0 === account }) { accounts.append(account) }
            }
        } else {
            accounts = snapshot.accounts.filter(\.isEnrolled)
            guard !accounts.isEmpty else {
                if let problem = snapshot.problems.first { throw problem.error }
                throw Session.notConfigured("no account is enrolled", nil)
            }
        }
        for account in accounts { if let problem = account.configurationProblem { throw problem } }
        let own = accounts.lazy.compactMap { snapshot.device.configuration(for: $0) }.first
        if accounts.count == 1, own == nil { return accounts[0].configurations }
        return AppConfigurations(accounts.flatMap(\.configurations.all) + [own].compactMap { $0 })
    }

    private func configured(_ member: AccountArgument, _ snapshot: Snapshot) throws(MAMError) -> Account {
        guard case .named(let identity) = member else {
            throw Session.notConfigured("\"\" is no user, and nobody configures that one", "")
        }
        try checkKnown(member, snapshot)
        if let account = snapshot.find(identity), account.isEnrolled { return account }
        if snapshot.find(identity) == nil, let problem = snapshot.problem(of: identity) { throw problem }
        throw Session.notConfigured("the account is not enrolled", identity.text)
    }

    private static func notConfigured(_ why: String, _ accountId: String?) -> MAMError {
        MAMError(
            .notEnrolled, "\(why): an app is configured from enrollment on",
            accountId.map { [("accountId", .string($0))] } ?? [])
    }
}
