import MAMPolicy
import MAMSupport

extension Store {
    /// What an enrolled user gets in an app, where no wipe waits: the one answer of check-ins, and of who asks what they
    /// would bring.
    func delivery(to user: User, app: AppFacts) throws(MAMError) -> EmbeddedAuthority.Answer<CheckIn> {
        if let code = user.standing { return .refused(code, "") }
        let policies = try policies(of: user, app: app)
        if policies.isEmpty { try checkSound() }
        return .granted(
            CheckIn(
                upn: user.upn, tenantId: user.tenantId, policies: policies,
                configurations: try configurations(of: user, app: app),
                apps: policies.isEmpty ? .listed([]) : try self.policies.apps(reaching: user),
                interval: try checkInInterval(), isDisabled: !user.isEnabled,
                // Of users of other tenants nothing is known.
                domains: user.tenantId == (try tenantId()) ? try domains() : [],
                exchangeEpoch: try exchangeEpoch(accountKey: user.accountKey)))
    }
}
