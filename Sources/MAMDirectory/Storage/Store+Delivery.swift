import MAMPolicy
import MAMSupport

extension Store {
    /// The reply to a check-in of an enrolled user without a pending wipe. Also used to explain and simulate check-ins.
    package func delivery(to user: User, app: AppFacts) throws(MAMError) -> Answer<CheckInReply> {
        if let code = user.refusalCode { return .refused(code, "") }
        let policies = try policies(of: user, app: app)
        if policies.isEmpty { try checkIntegrity() }
        return .granted(
            CheckInReply(
                upn: user.upn, tenantId: user.tenantId, policies: policies,
                configurations: try configurations(of: user, app: app),
                apps: policies.isEmpty ? .listed([]) : try self.policies.apps(reaching: user),
                interval: try checkInInterval(), isDisabled: !user.isEnabled,
                // The domains of other tenants are not known.
                domains: user.tenantId == (try tenantId()) ? try domains() : [],
                exchangeEpoch: try exchangeEpoch(accountKey: user.accountKey)))
    }
}
