import MAMPolicy
import MAMSupport

extension Store {
    /// The exchange keys of an enrolled account from an epoch on, the oldest first; from 0 on, the newest alone. Refused for an app
    /// that is not managed or has a pending wipe.
    package func exchangeKeys(
        of accountId: String, registration: String, wipeMark: Int64, from epoch: Int64, app: AppFacts, host: HostFacts
    ) throws(MAMError) -> Answer<[ExchangeKey]> {
        guard let user = try user(named: accountId) else {
            return .refused(Store.userIsGone)
        }
        let kept = try self.registration(registration, of: user, in: app)
        let wipe = try pendingWipe(
            accountKey: user.accountKey, after: wipeMark, app: app,
            tags: [host.deviceTag, kept?.deviceTag ?? host.deviceTag])
        if wipe != nil { return .refused(.wipeReceived, "") }
        if kept == nil, isWritable { return .refused(.policyRecordGone, "") }
        guard user.isEnabled else { return .refused(.wipeReceived, "The organisation has disabled the account") }
        if let code = user.refusalCode { return .refused(code, "") }
        guard try !policies(of: user, app: app).isEmpty else { return .refused(.noPolicyReceived, "") }
        return .granted(try exchangeKeys(accountKey: user.accountKey, from: epoch))
    }
}
