import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// A selective wipe: journal row, every process refuses, the share is destroyed, the host is asked, rows go, it is reported.
/// Each step is durable before the next; killed anywhere, the next open of any process of the group resumes.
extension Session {
    /// `mam_wipe_account`: when this returns nothing of the account can be read by anyone.
    public func wipe(_ argument: AccountArgument, reason: String) throws(MAMError) -> Int64 {
        let identity = try named(argument)
        let snapshot = try current()
        let entry: WipeEntry
        if let account = snapshot.find(identity) {
            entry = try promiseWipe(of: account, reason: reason, wipe: nil)
        } else if let promised = snapshot.wipe(of: identity) {
            entry = promised
        } else {
            throw Session.notRegistered(identity)
        }
        try shred(entry)
        return start(.wipe(journal: entry.id))
    }

    /// Write the promise down. From the commit on every process refuses the account.
    func promiseWipe(of account: Account, reason: String, wipe: Int64?) throws(MAMError) -> WipeEntry {
        let entry = try state.publish { (view) throws(MAMError) in
            if let promised = try view.journal.all().first(where: { $0.account == account.row.id }) { return promised }
            return try view.journal.add(account.row.id) { entry in
                entry.accountId = account.accountId
                entry.upn = account.record.upn
                entry.reason = reason
                entry.registration = account.record.registration
                entry.wipe = wipe
            }
        }
        // The share is what counts now: whether this process can still load the state is not.
        _ = try? reload()
        emit("wipeProgress", accountId: account.accountId, [("step", "closed")])
        return entry
    }

    /// Destroy the share, and note that it is gone.
    func shred(_ entry: WipeEntry) throws(MAMError) {
        try state.shred(entry.account)
        guard entry.step < .shredded else { return }
        var entry = entry
        entry.step = .shredded
        try state.write { (view) throws(MAMError) in try view.journal.update(entry) }
        emit("wipeProgress", accountId: entry.accountId, [("step", "shredded")])
    }

    /// At open: destroy the shares of every promised wipe of the group, then finish those of this app.
    func resumeWipes() throws(MAMError) {
        let entries = try state.read { (view, _) throws(MAMError) in try view.journal.all() }
        let notBefore = platform_time_monotonic() &+ 1000
        for entry in entries {
            if entry.step < .removed { try shred(entry) }
            // The host has had no chance yet to set its delegate: wait a moment for it.
            if entry.app == settings.app.id { _ = operations.add(.wipe(journal: entry.id), notBefore: notBefore) }
        }
    }

    /// Carry a wipe on from where it is.
    func carryOut(journal id: [UInt8]) throws(MAMError) -> Outcome {
        guard let lease = try state.wipeLease() else { return .again(at: platform_time_monotonic() &+ 50) }
        return try withExtendedLifetime(lease) { () throws(MAMError) in
            let found = try state.read { (view, _) throws(MAMError) in try view.journal.all().first { $0.id == id } }
            guard var entry = found else {
                return .done(
                    status(.unenrollmentSuccess, accountId: nil, upn: nil, message: "Another process finished the wipe")
                )
            }
            do throws(MAMError) {
                if entry.step < .shredded {
                    try shred(entry)
                    entry.step = .shredded
                }
                if entry.step < .asked {
                    switch askToRemove(entry) {
                    case .later(let question): return .later(question: question)
                    case .abandoned: return .abandoned
                    case .answer(.truth(let removed)): entry.hostRemovedData = removed
                    case .answer: entry.hostRemovedData = nil
                    }
                    entry.step = .asked
                    try state.write { (view) throws(MAMError) in try view.journal.update(entry) }
                    emit("wipeProgress", accountId: entry.accountId, [("step", "asked")])
                }
            } catch {
                log.write(.error, "a wipe could not go on and is tried again: \(error.message)")
                return .done(
                    status(.failedToClearMamData, accountId: entry.accountId, upn: entry.upn, message: error.message))
            }
            let status = status(.unenrollmentSuccess, accountId: entry.accountId, upn: entry.upn)
            if entry.step < .removed { try remove(&entry, status) }
            report(entry)
            return .done(status)
        }
    }

    private func askToRemove(_ entry: WipeEntry) -> Asked {
        ask(
            .wipeData, subject: hexadecimal(entry.id),
            [("accountId", .string(entry.accountId)), ("upn", .optional(entry.upn))])
    }

    /// Rows go, the log is emptied, and the events are kept with the step in one commit, so that they are told once.
    private func remove(_ entry: inout WipeEntry, _ status: EnrollmentStatus) throws(MAMError) {
        let former = entry
        try state.publish { (view) throws(MAMError) in try view.journal.removeRows(of: former) }
        try state.truncateLog()
        entry.step = .removed
        let removed = entry
        let hostRemovedData = JSON.bool(entry.hostRemovedData ?? false)
        try state.publish { (view) throws(MAMError) in
            try view.journal.update(removed)
            let id = removed.accountId
            try view.outcomes.add(event("unenrollRequest", accountId: id, [("status", status.json)]), app: removed.app)
            try view.outcomes.add(
                event(
                    "wipeDidComplete", accountId: id,
                    [("reason", .string(removed.reason)), ("hostRemovedData", hostRemovedData)]),
                app: removed.app)
        }
        emit("wipeProgress", accountId: entry.accountId, [("step", "removed")])
        try reload()
        log.write(.info, "account \(entry.account.hex) wiped")
    }

    /// Tell the authority; where it cannot be told now, later. The wipe itself is complete.
    private func report(_ entry: WipeEntry) {
        do throws(MAMError) {
            if let registration = entry.registration {
                let facts = hostFacts(try current())
                let told = asking { () throws(AuthorityFailure) in
                    try authority.reportWipe(
                        entry.accountId, registration: registration, wipe: entry.wipe, app: appFacts, host: facts)
                }
                // Where it has forgotten the enrollment there is nobody to tell.
                if case .failure(let failure) = told, failure.code != .policyRecordGone {
                    return try reportLater(entry, failure.code)
                }
            }
            try state.write { (view) throws(MAMError) in try view.journal.remove(entry) }
            emit("wipeProgress", accountId: entry.accountId, [("step", "reported")])
            try reload()
        } catch { log.write(.warning, "a finished wipe could not be struck from the journal: \(error.message)") }
    }

    private func reportLater(_ entry: WipeEntry, _ code: StatusCode) throws(MAMError) {
        var entry = entry
        entry.failures = min(entry.failures, 1000) + 1
        entry.nextReport = Schedule.next(
            after: .policyEndPointNetworkFailure, at: clock.now(), failures: Int(entry.failures), interval: nil,
            inUse: true,
            onlyConfiguration: false, jitter: jitter())
        let later = entry
        try state.publish { (view) throws(MAMError) in try view.journal.update(later) }
        try reload()
        log.write(.warning, "a finished wipe could not be reported (\(code.rawValue)); it will be")
    }
}
