import MAMPolicy
import MAMSupport

extension Store {
    /// Policy and commands of an enrolled account. A wipe takes precedence over everything else, even where the enrollment is not
    /// known any more or the user was removed. `recorded` receives the time at which the check-in was recorded, if it was.
    package func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts, now: Instant,
        recorded: inout Instant?
    ) throws(MAMError) -> Answer<CheckInReply> {
        if isWritable { try removeStaleRegistrations(now: now) }
        let user = try user(named: accountId)
        let kept = try user.flatMap { (user) throws(MAMError) in
            try self.registration(registration, of: user, in: app)
        }
        let key = user?.accountKey ?? Identity.fold(accountId)
        if let highest = try rolledBackCounter(of: key, app, host, now) {
            return .granted(
                CheckInReply(upn: user?.upn ?? accountId, tenantId: nil, policies: [], highestCounter: highest))
        }
        let wipe = try requiredWipe(registration, kept, accountKey: key, after: wipeMark, app: app, host: host)
        if let kept, isWritable { recorded = try recordCheckIn(kept, app: app, host: host, now: now) }
        if let wipe {
            return .granted(
                CheckInReply(
                    upn: user?.upn ?? accountId, tenantId: user?.tenantId, policies: [], wipe: wipe.id ?? 0,
                    wipeReason: wipe.reason))
        }
        if user == nil || kept == nil { try checkIntegrity() }
        guard let user else { return .refused(Store.userIsGone) }
        if kept == nil {
            // A mark above every wipe of this authority was issued by another authority at the same path.
            let isOfAnother = wipeMark > (try latestWipe())
            if isWritable || isOfAnother { return .refused(.policyRecordGone, "") }
        }
        let delivery = try delivery(to: user, app: app)
        guard case .granted(var reply) = delivery else { return delivery }
        reply.identity = signed?.rows.identity
        reply.highestCounter = host.confirmedCounter.flatMap { host.stateCounter < $0 ? $0 : nil }
        return .granted(reply)
    }

    /// The wipe that an app has to carry out for an enrollment: the latest request that waits for it, else the wipe with which it has
    /// ended; nil for none. `kept` is its registration where the authority has it.
    func requiredWipe(
        _ registration: String, _ kept: Registration?, accountKey: [UInt8], after mark: Int64, app: AppFacts,
        host: HostFacts
    ) throws(MAMError) -> RegistrationWipe? {
        // Not the registration's mark: registrations are not signed. One under a former device tag still receives requests for
        // that tag.
        let tags = [host.deviceTag, kept?.deviceTag ?? host.deviceTag]
        if let wipe = try pendingWipe(accountKey: accountKey, after: mark, app: app, tags: tags) {
            return RegistrationWipe(id: wipe)
        }
        return try endingWipe(registration, accountKey: accountKey, isKept: kept != nil, app: app, host: host)
    }

    /// The user of an enrollment was removed, and the data of the enrollment is still there.
    static let userIsGone = AuthorityFailure(
        .policyRecordGone, "The authority knows no such user", for: .statusNoLongerAllowed)

    /// The highest known counter of an account on this device, where the host reports a lower one that it has not read again since.
    /// The second read is needed because two apps of one state may report in another order than they read. Otherwise records the
    /// counter, or the rollback, and returns nil.
    private func rolledBackCounter(
        of accountKey: [UInt8], _ app: AppFacts, _ host: HostFacts, _ now: Instant
    ) throws(MAMError) -> Int64? {
        guard isWritable else { return nil }
        if let highest = host.highestStateCounter, host.confirmedCounter == nil {
            try recordRollback(accountKey, app: app, host: host, highest: highest, now: now)
        }
        if let confirmedCounter = host.confirmedCounter, host.stateCounter < confirmedCounter {
            try recordRollback(accountKey, app: app, host: host, highest: confirmedCounter, now: now)
            return nil
        }
        let highest = try highestCounter(of: accountKey, deviceTag: host.deviceTag)
        if host.stateCounter > highest { try recordCounter(accountKey, host: host, now: now) }
        return host.stateCounter < highest && host.confirmedCounter == nil ? highest : nil
    }

    /// The user whom a text names, by account id or UPN; nil also where it cannot be a name.
    package func user(named text: String) throws(MAMError) -> User? {
        guard let name = try? Identity(text) else { return nil }
        return try user(named: name)
    }
}
