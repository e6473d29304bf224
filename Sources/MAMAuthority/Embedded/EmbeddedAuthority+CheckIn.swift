import MAMPolicy
import MAMSupport

extension EmbeddedAuthority {
    /// Policy and commands. A wipe comes before everything else: neither a forgotten enrollment nor a removed user
    /// keeps it back.
    public func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> CheckIn {
        let question = CheckInQuestion(accountId, registration, wipeMark, app, host)
        return try reply(to: question) { () throws(AuthorityFailure) in
            var noted: Instant?
            let reply = try checkIn(accountId, registration, wipeMark, app, host, &noted)
            return (reply, noted)
        }
    }

    private func checkIn(
        _ accountId: String, _ registration: String, _ wipeMark: Int64, _ app: AppFacts, _ host: HostFacts,
        _ noted: inout Instant?
    ) throws(AuthorityFailure) -> CheckIn {
        try perform(.checkIn) { (store) throws(MAMError) -> Answer<CheckIn> in
            if store.isWritable { try store.removeSilent(now: now()) }
            let user = try find(accountId, in: store)
            let kept = try user.flatMap { (user) throws(MAMError) in
                try store.registration(registration, of: user, in: app)
            }
            let key = user?.accountKey ?? Identity.fold(accountId)
            if let reached = try regress(of: key, registration, app, host, in: store) {
                return .granted(CheckIn(upn: user?.upn ?? accountId, tenantId: nil, policies: [], reached: reached))
            }
            // An enrollment of a former device tag is still asked under that.
            let wipe = try store.pendingWipe(
                // Not the mark that the registration has: no row of it is signed.
                accountKey: key, after: wipeMark, app: app, tags: [host.deviceTag, kept?.deviceTag ?? host.deviceTag])
            if wipe == nil,
                let ended = try store.wipeThatEnded(
                    registration, accountKey: key, isKept: kept != nil, app: app, host: host)
            {
                return .granted(
                    CheckIn(
                        upn: user?.upn ?? accountId, tenantId: user?.tenantId, policies: [], wipe: ended.wipe,
                        wipeReason: ended.reason))
            }
            if let kept, store.isWritable {
                noted = try store.noteCheckIn(kept, app: app, host: host, now: now())
            }
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
            let delivery = try store.delivery(to: user, app: app)
            guard case .granted(var reply) = delivery else { return delivery }
            reply.identity = store.signed?.rows.identity
            reply.reached = host.confirming.flatMap { host.stateGeneration < $0 ? $0 : nil }
            return .granted(reply)
        }
    }

    /// The highest counter that is known of an account on this device, where the one that is reported is lower and was not
    /// read again since: two apps of a state may report in another order than they read. Else the counter, or the regress, is
    /// noted.
    private func regress(
        of accountKey: [UInt8], _ registration: String, _ app: AppFacts, _ host: HostFacts, in store: Store
    ) throws(MAMError) -> Int64? {
        guard store.isWritable else { return nil }
        if let here = host.stateReached, host.confirming == nil {
            try store.noteRegress(accountKey, app: app, host: host, reached: here, now: now())
        }
        if let confirming = host.confirming, host.stateGeneration < confirming {
            try store.noteRegress(accountKey, app: app, host: host, reached: confirming, now: now())
            return nil
        }
        let reached = try store.reached(accountKey, deviceTag: host.deviceTag)
        if host.stateGeneration > reached { try store.noteReached(accountKey, host: host, now: now()) }
        return host.stateGeneration < reached && host.confirming == nil ? reached : nil
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
        _ accountId: String, registration: String, wipe: Int64?, reason: String = "host", app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) {
        try perform(.reportWipe) { (store) throws(MAMError) -> Answer<Void> in
            guard store.isWritable else { return .granted(()) }
            let user = try find(accountId, in: store)
            let key = user?.accountKey ?? Identity.fold(accountId)
            try store.noteEnd(
                EndedRegistration(wipe: wipe, reason: reason), registration, accountKey: key, app: app, host: host,
                now: now())
            if let wipe { try store.noteWiped(registration, accountKey: key, wipe: wipe, now: now()) }
            if let user, let kept = try store.registration(registration, of: user, in: app) {
                try store.noteWiped(
                    registration, accountKey: key, after: kept.wipeMark, app: app,
                    tags: [host.deviceTag, kept.deviceTag],
                    now: now())
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
