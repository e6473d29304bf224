import MAMPolicy
import MAMSupport

extension EmbeddedAuthority {
    /// Returns the exchange keys of an enrolled account from an epoch on, the oldest first; from 0 on, the newest alone. Refused for
    /// an app that is not managed or has a pending wipe.
    public func exchangeKeys(
        _ accountId: String, registration: String, wipeMark: Int64, from epoch: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> [ExchangeKey] {
        try perform(.checkIn) { (store) throws(MAMError) -> Answer<[ExchangeKey]> in
            guard let name = try? Identity(accountId), let user = try store.user(named: name) else {
                return .refused(.policyRecordGone, "The authority knows no such user")
            }
            let kept = try store.registration(registration, of: user, in: app)
            let wipe = try store.pendingWipe(
                accountKey: user.accountKey, after: wipeMark, app: app,
                tags: [host.deviceTag, kept?.deviceTag ?? host.deviceTag])
            if wipe != nil { return .refused(.wipeReceived, "") }
            if kept == nil, store.isWritable { return .refused(.policyRecordGone, "") }
            guard user.isEnabled else { return .refused(.wipeReceived, "The organisation has disabled the account") }
            if let code = user.refusalCode { return .refused(code, "") }
            guard try !store.policies(of: user, app: app).isEmpty else { return .refused(.noPolicyReceived, "") }
            return .granted(try store.exchangeKeys(accountKey: user.accountKey, from: epoch))
        }
    }
}
