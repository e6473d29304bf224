import MAMPolicy
import MAMSupport

extension EmbeddedAuthority {
    /// Returns policy and commands of an enrolled account. A wipe takes precedence over everything else, even where the
    /// enrollment is not known any more or the user was removed.
    public func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> CheckInReply {
        let key = CheckInCacheKey(accountId, registration, wipeMark, app, host)
        return try reply(for: key) { () throws(AuthorityFailure) in
            var recorded: Instant?
            let reply = try checkIn(accountId, registration, wipeMark, app, host, &recorded)
            return (reply, recorded)
        }
    }

    private func checkIn(
        _ accountId: String, _ registration: String, _ wipeMark: Int64, _ app: AppFacts, _ host: HostFacts,
        _ recorded: inout Instant?
    ) throws(AuthorityFailure) -> CheckInReply {
        try perform(.checkIn) { (store) throws(MAMError) -> Answer<CheckInReply> in
            if store.isWritable { try store.removeStaleRegistrations(now: now()) }
            let user = try find(accountId, in: store)
            let kept = try user.flatMap { (user) throws(MAMError) in
                try store.registration(registration, of: user, in: app)
            }
            let key = user?.accountKey ?? Identity.fold(accountId)
            if let highest = try rolledBackCounter(of: key, registration, app, host, in: store) {
                return .granted(
                    CheckInReply(upn: user?.upn ?? accountId, tenantId: nil, policies: [], highestCounter: highest))
            }
            // A registration under a former device tag still receives requests for that tag.
            let wipe = try store.pendingWipe(
                // Not the registration's mark: registrations are not signed.
                accountKey: key, after: wipeMark, app: app, tags: [host.deviceTag, kept?.deviceTag ?? host.deviceTag])
            if wipe == nil,
                let ended = try store.endingWipe(
                    registration, accountKey: key, isKept: kept != nil, app: app, host: host)
            {
                return .granted(
                    CheckInReply(
                        upn: user?.upn ?? accountId, tenantId: user?.tenantId, policies: [], wipe: ended.wipe,
                        wipeReason: ended.reason))
            }
            if let kept, store.isWritable {
                recorded = try store.recordCheckIn(kept, app: app, host: host, now: now())
            }
            if let wipe {
                return .granted(
                    CheckInReply(upn: user?.upn ?? accountId, tenantId: user?.tenantId, policies: [], wipe: wipe))
            }
            if user == nil || kept == nil { try store.checkIntegrity() }
            guard let user else { return .refused(.policyRecordGone, "The authority knows no such user") }
            if kept == nil {
                // A mark above every wipe of this authority was issued by another authority at the same path.
                let isOfAnother = wipeMark > (try store.latestWipe())
                if store.isWritable || isOfAnother { return .refused(.policyRecordGone, "") }
            }
            let delivery = try store.delivery(to: user, app: app)
            guard case .granted(var reply) = delivery else { return delivery }
            reply.identity = store.signed?.rows.identity
            reply.highestCounter = host.confirmedCounter.flatMap { host.stateCounter < $0 ? $0 : nil }
            return .granted(reply)
        }
    }

    /// The highest known counter of an account on this device, where the host reports a lower one that it has not read again since.
    /// The second read is needed because two apps of one state may report in another order than they read. Otherwise records the
    /// counter, or the rollback, and returns nil.
    private func rolledBackCounter(
        of accountKey: [UInt8], _ registration: String, _ app: AppFacts, _ host: HostFacts, in store: Store
    ) throws(MAMError) -> Int64? {
        guard store.isWritable else { return nil }
        if let highest = host.highestStateCounter, host.confirmedCounter == nil {
            try store.recordRollback(accountKey, app: app, host: host, highest: highest, now: now())
        }
        if let confirmedCounter = host.confirmedCounter, host.stateCounter < confirmedCounter {
            try store.recordRollback(accountKey, app: app, host: host, highest: confirmedCounter, now: now())
            return nil
        }
        let highest = try store.highestCounter(of: accountKey, deviceTag: host.deviceTag)
        if host.stateCounter > highest { try store.recordCounter(accountKey, host: host, now: now()) }
        return host.stateCounter < highest && host.confirmedCounter == nil ? highest : nil
    }

    /// End an enrollment; no error where it has ended already.
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

    /// Record that a wipe is complete, which ends the enrollment, with every wipe request that it fulfils. `wipe` is nil where the
    /// authority did not request the wipe. Repeating the report has no effect.
    public func reportWipe(
        _ accountId: String, registration: String, wipe: Int64?, reason: WipeReason = .host, app: AppFacts,
        host: HostFacts
    ) throws(AuthorityFailure) {
        try perform(.reportWipe) { (store) throws(MAMError) -> Answer<Void> in
            guard store.isWritable else { return .granted(()) }
            let user = try find(accountId, in: store)
            let key = user?.accountKey ?? Identity.fold(accountId)
            try store.recordEnd(
                EndedRegistration(wipe: wipe, reason: reason), registration, accountKey: key, app: app, host: host,
                now: now())
            if let wipe { try store.recordWiped(registration, accountKey: key, wipe: wipe, now: now()) }
            if let user, let kept = try store.registration(registration, of: user, in: app) {
                try store.recordWiped(
                    registration, accountKey: key, after: kept.wipeMark, app: app,
                    tags: [host.deviceTag, kept.deviceTag],
                    now: now())
                try store.remove(kept)
                // A requested wipe already began a new epoch.
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
