import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// What is left of a wipe once it is promised, Session+WipePromise.swift: the share's file goes; the host is asked; rows go; it
/// is reported. Killed anywhere, the next open of the app carries it on.
extension Session {
    /// Remove the share's file, and note that it is gone. Not before the journal has the promise, which the file keeps until then.
    func shred(_ entry: WipeEntry) throws(MAMError) {
        try state.shred(entry.account)
        guard entry.step < .shredded else { return }
        // The worker may carry the wipe on while the call that began it is here: told once.
        let isFirst = try state.urgently { () throws(MAMError) in
            try state.write(isCounted: true) { (view) throws(MAMError) in try view.journal.reach(.shredded, entry) }
        }
        guard isFirst else { return }
        emit("wipeProgress", of: entry.named, [("step", "shredded")])
    }

    /// Carry a wipe on from where it is. What fails is told (215), and tried again a second later.
    func carryOut(_ promised: WipeEntry) throws(MAMError) -> Outcome {
        do throws(MAMError) {
            guard let lease = try state.lease(.wipe) else { return .again(at: platform_time_monotonic() &+ 50) }
            return try withExtendedLifetime(lease) { () throws(MAMError) in
                let written = promised.id.isEmpty ? try adopt(promised) : promised
                let found = try state.read { (view, _) throws(MAMError) in
                    try view.journal.all().first { $0.id == written?.id }
                }
                guard var entry = found, entry.isTrusted else {
                    // It was finished meanwhile: by another process, or by what was due in this one.
                    return .done(status(.unenrollmentSuccess, accountId: promised.accountId, upn: promised.upn))
                }
                if let pause = try state.urgently({ () throws(MAMError) in try finish(&entry) }) { return pause }
                report(entry)
                return .done(status(.unenrollmentSuccess, accountId: entry.accountId, upn: entry.upn))
            }
        } catch {
            guard error.code != .interrupted else { throw error }
            log.write(.error, "a wipe could not go on and is tried again: \(error.message)")
            return .done(
                status(
                    .failedToClearMamData, accountId: promised.accountId, upn: promised.upn, message: error.message))
        }
    }

    /// Every step that is left, each durable before the next; nil when all is removed.
    private func finish(_ entry: inout WipeEntry) throws(MAMError) -> Outcome? {
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
            let asked = entry
            try state.write(isCounted: true) { (view) throws(MAMError) in try view.journal.update(asked) }
            emit("wipeProgress", of: entry.named, [("step", "asked")])
        }
        guard entry.step < .removed else { return nil }
        try removeFiles(&entry)
        return try remove(&entry)
    }

    private func askToRemove(_ entry: WipeEntry) -> Asked {
        ask(.wipeData, subject: hexadecimal(entry.id), of: entry.named)
    }

    /// Rows go, the log is emptied, and the events are kept with the step in one commit, so that they are told once.
    private func remove(_ entry: inout WipeEntry) throws(MAMError) -> Outcome? {
        let former = entry
        let status = status(.unenrollmentSuccess, accountId: entry.accountId, upn: entry.upn)
        try state.publish { (view) throws(MAMError) in
            try view.journal.removeRows(of: former)
            if former.registration != nil { try forgetSignIn(view, leaving: former.account) }
        }
        // Another process reads the log just now: what is in it is sealed under the key that is gone, so this can wait.
        guard try state.truncateLog() else { return .again(at: platform_time_monotonic() &+ 1000) }
        entry.step = .removed
        let removed = entry
        let hostRemovedData = JSON.bool(entry.hostRemovedData ?? false)
        let openDatabases = JSON.integer(Int64(databases.countOpen(of: entry)))
        try state.publish { (view) throws(MAMError) in
            try view.journal.update(removed)
            let account = removed.named
            try view.outcomes.add(
                event("unenrollRequest", of: account, [("status", status.json)]), app: removed.app)
            try view.outcomes.add(
                event(
                    "wipeDidComplete", of: account,
                    [
                        ("reason", .string(removed.reason)), ("hostRemovedData", hostRemovedData),
                        ("files", removed.files?.report ?? .null), ("openDatabases", openDatabases),
                    ]),
                app: removed.app)
        }
        emit("wipeProgress", of: entry.named, [("step", "removed")])
        try reload()
        log.write(.info, "account \(entry.account.hex) wiped")
        log.write(
            .verbose, "account \(entry.account.hex) was \(entry.upn ?? entry.accountId), wiped for \(entry.reason)")
        return nil
    }

    /// Tell the authority; where it cannot be told now, later. The wipe itself is complete.
    private func report(_ entry: WipeEntry) {
        do throws(MAMError) {
            if let registration = entry.registration {
                let facts = hostFacts(try current())
                let told = asking { () throws(AuthorityFailure) in
                    try authority.reportWipe(
                        entry.accountId, registration: registration, wipe: entry.wipe, reason: entry.reason,
                        app: appFacts,
                        host: facts)
                }
                // Where it has forgotten the enrollment there is nobody to tell.
                if case .failure(let failure) = told, failure.code != .policyRecordGone {
                    return try reportLater(entry, failure.code)
                }
            }
            try state.urgently { () throws(MAMError) in
                try state.publish { (view) throws(MAMError) in try view.journal.remove(entry) }
            }
            emit("wipeProgress", of: entry.named, [("step", "reported")])
            try reload()
        } catch { log.write(.warning, "a finished wipe could not be struck from the journal: \(error.message)") }
    }

    private func reportLater(_ entry: WipeEntry, _ code: StatusCode) throws(MAMError) {
        var entry = entry
        entry.failures = min(entry.failures, 1000) + 1
        entry.nextReport = Schedule.afterNetworkFailure(Int(entry.failures), at: clock.now(), jitter: jitter())
        let later = entry
        try state.publish { (view) throws(MAMError) in try view.journal.update(later) }
        try reload()
        log.write(.warning, "a finished wipe could not be reported (\(code.rawValue)); it will be")
    }
}
