import MAMPolicy
import MAMSupport

extension EmbeddedAuthority {
    /// Policy and commands. A wipe comes before everything else: neither a forgotten enrollment nor a removed user
    /// keeps it back.
    public func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> CheckIn {
        try perform(.checkIn) { (store) throws(MAMError) -> Answer<CheckIn> in
            if store.isWritable { try store.removeSilent(now: now()) }
            let user = try find(accountId, in: store)
            let kept = try user.flatMap { (user) throws(MAMError) in
                try store.registration(registration, of: user, in: app)
            }
            let wipe = try store.pendingWipe(
                accountKey: user?.accountKey ?? Identity.fold(accountId), after: kept?.wipeMark ?? wipeMark,
                app: app, host: host)
            if let kept, store.isWritable { try store.noteCheckIn(kept, app: app, host: host, now: now()) }
            if let wipe {
                return .granted(
                    CheckIn(upn: user?.upn ?? accountId, tenantId: user?.tenantId, policies: [], wipe: wipe))
            }
            if user == nil || kept == nil { try store.checkSound() }
            guard let user else { return .refused(.policyRecordGone, "The authority knows no such user") }
            if kept == nil {
                // A mark above all of this authority's is of another one, that stood here before.
                let isOfAnother = wipeMark > (try store.latestWipe())
                if store.isWritable || isOfAnother { return .refused(.policyRecordGone, "") }
            }
            return try store.delivery(to: user, app: app)
        }
    }

    /// End an enrollment. One that is not there has ended.
    public func unenroll(
        _ accountId: String, registration: String, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) {
        try perform(.unenroll) { (store) throws(MAMError) -> Answer<Void> in
            if store.isWritable, let user = try find(accountId, in: store),
                let kept = try store.registration(registration, of: user, in: app)
            {
                try store.remove(kept)
                try store.rotateExchangeKey(accountKey: user.accountKey)
            }
            return .granted(())
        }
    }

    /// Note a complete wipe, which ends the enrollment, at every request that it carried out.
    public func reportWipe(
        _ accountId: String, registration: String, wipe: Int64?, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) {
        try perform(.reportWipe) { (store) throws(MAMError) -> Answer<Void> in
            guard store.isWritable else { return .granted(()) }
            let user = try find(accountId, in: store)
            let key = user?.accountKey ?? Identity.fold(accountId)
            if let wipe { try store.noteWiped(registration, accountKey: key, wipe: wipe, now: now()) }
            if let user, let kept = try store.registration(registration, of: user, in: app) {
                try store.noteWiped(
                    registration, accountKey: key, after: kept.wipeMark, app: app, host: host, now: now())
                try store.remove(kept)
                // A request of the authority has begun a new epoch when it was made.
                if wipe == nil { try store.rotateExchangeKey(accountKey: key) }
            }
            return .granted(())
        }
    }

    private func find(_ accountId: String, in store: Store) throws(MAMError) -> User? {
        guard let name = try? Identity(accountId) else { return nil }
        return try store.user(named: name)
    }
}
