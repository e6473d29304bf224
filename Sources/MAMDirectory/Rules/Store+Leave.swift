import MAMPolicy
import MAMSupport

extension Store {
    /// End an enrollment; nothing happens where it has ended already. Returns the wipe that the app has to carry out before, nil for
    /// none: the enrollment then ends with the report of the wipe.
    package func unenroll(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(MAMError) -> RegistrationWipe? {
        let user = try user(named: accountId)
        let kept = try user.flatMap { (user) throws(MAMError) in
            try self.registration(registration, of: user, in: app)
        }
        let key = user?.accountKey ?? Identity.fold(accountId)
        if let wipe = try requiredWipe(registration, kept, accountKey: key, after: wipeMark, app: app, host: host) {
            return wipe
        }
        guard isWritable, let kept else { return nil }
        try remove(kept)
        try rotateExchangeKey(accountKey: key)
        return nil
    }

    /// Record that a wipe is complete, which ends the enrollment, with every wipe request that it fulfils. `wipe` is nil where the
    /// authority did not request the wipe. Repeating the report has no effect.
    package func reportWipe(
        _ accountId: String, registration: String, wipe: Int64?, reason: WipeReason, app: AppFacts, host: HostFacts,
        now: Instant
    ) throws(MAMError) {
        guard isWritable else { return }
        let user = try user(named: accountId)
        let key = user?.accountKey ?? Identity.fold(accountId)
        try recordEnd(
            RegistrationWipe(id: wipe, reason: reason), registration, accountKey: key, app: app, host: host, now: now
        )
        if let wipe { try recordWiped(registration, accountKey: key, wipe: wipe, now: now) }
        guard let user else { return }
        guard let kept = try self.registration(registration, of: user, in: app) else {
            // The account came back before the report arrived.
            if try isEnrolled(user, app: app, host: host) {
                try markFollowedByEnrollment(user, app: app, host: host)
            }
            return
        }
        try recordWiped(
            registration, accountKey: key, after: kept.wipeMark, app: app, tags: [host.deviceTag, kept.deviceTag],
            now: now)
        try remove(kept)
        // A requested wipe already began a new epoch.
        if wipe == nil { try rotateExchangeKey(accountKey: key) }
    }
}
