import CProcess
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The steps of a wipe that is in the journal: remove the share's file, ask the host, remove rows, report. A wipe that was killed
/// resumes at the next open of the app.
extension Wipes {
    /// Remove the share's file and record this step. The wipe must be in the journal first: until then the file's tombstone
    /// promises it.
    func removeShare(_ entry: WipeEntry) throws(MAMError) {
        try state.removeShare(entry.account)
        guard entry.step < .shredded else { return }
        // The worker may carry out the wipe at the same time as the call that began it: report the step once.
        let isFirst = try state.withReservedSpace { () throws(MAMError) in
            try state.write(isRollbackProtected: true) { (view) throws(MAMError) in
                try view.journal.advance(.shredded, entry)
            }
        }
        guard isFirst else { return }
        emit(.shredded, of: entry)
    }

    /// Carry out the remaining steps of a wipe. A failure is reported (215), and retried a second later.
    func carryOut(_ promised: WipeEntry) throws(MAMError) -> StepResult {
        do throws(MAMError) {
            guard let lease = try state.lease(.wipe) else { return .again(at: process_clock_monotonic_ms() &+ 50) }
            return try withExtendedLifetime(lease) { () throws(MAMError) in
                let written = promised.id.isEmpty ? try addToJournal(promised) : promised
                let found = try state.read { (view, _) throws(MAMError) in
                    try view.journal.all().first { $0.id == written?.id }
                }
                guard var entry = found, entry.isTrusted else {
                    // Another process, or due work of this one, has finished it meanwhile.
                    return .done(status(.unenrollmentSuccess, accountId: promised.accountId, upn: promised.upn))
                }
                if let pause = try state.withReservedSpace({ () throws(MAMError) in try finish(&entry) }) {
                    return pause
                }
                // Nobody waits for a service; nor does the lease, which other wipes need.
                if settings.authority.isService, entry.registration != nil, !entry.isReported {
                    operations.startUnlessQueued(.reportWipe(entry), subject: OperationQueue.Work.report(of: entry))
                    operations.wakeWorker()
                } else {
                    try report(entry)
                }
                return .done(status(ofCompleted: entry))
            }
        } catch {
            guard error.code != .interrupted else { throw error }
            log.write(.error, "a wipe could not go on and is tried again: \(error.message)")
            telemetry.record(.wipe(.failedToClearMamData, promised), of: TelemetryAccount(promised))
            return .done(
                status(
                    .failedToClearMamData, accountId: promised.accountId, upn: promised.upn, message: error.message))
        }
    }

    /// Carry out the remaining steps, each durable before the next; nil when everything is removed.
    private func finish(_ entry: inout WipeEntry) throws(MAMError) -> StepResult? {
        if entry.step < .shredded {
            try removeShare(entry)
            entry.step = .shredded
        }
        if entry.step < .asked {
            switch askToRemove(entry) {
            case .later(let question): return .later(question: question)
            case .abandoned: return .abandoned
            case .answer(.bool(let removed)): entry.hostRemovedData = removed
            case .answer: entry.hostRemovedData = nil
            }
            entry.step = .asked
            let asked = entry
            try state.write(isRollbackProtected: true) { (view) throws(MAMError) in try view.journal.update(asked) }
            emit(.asked, of: entry)
        }
        guard entry.step < .removed else {
            if entry.hasFilesLeft { try removeRemainingFiles(of: &entry) }
            return nil
        }
        entry.files = try removeFiles(entry)
        return try remove(&entry)
    }

    /// Queue the event of a completed step.
    func emit(_ progress: WipeProgress, of entry: WipeEntry, _ more: [(key: String, value: JSON)] = []) {
        events.emit(.wipeProgress, of: entry.named, [("step", .string(progress.rawValue))] + more)
    }

    private func askToRemove(_ entry: WipeEntry) -> Events.Asked {
        events.ask(.wipeData, subject: hexadecimal(entry.id), of: entry.named)
    }

    /// Remove the rows, empty the WAL, and store the final events with the step in one commit, so that each is reported once.
    private func remove(_ entry: inout WipeEntry) throws(MAMError) -> StepResult? {
        let former = entry
        let status = status(.unenrollmentSuccess, accountId: entry.accountId, upn: entry.upn)
        try state.commitForAll { (view) throws(MAMError) in try view.journal.removeRows(of: former) }
        // Another process is reading the WAL. Its content is sealed under the destroyed key, so this can wait.
        guard try state.truncateWAL() else { return .again(at: process_clock_monotonic_ms() &+ 1000) }
        entry.step = .removed
        // If the report neither succeeds nor can be planned again, it is due then.
        entry.nextReport = CheckInIntervals.afterNetworkFailure(1, at: clock.now(), jitter: randomFraction())
        let removed = entry
        let hostRemovedData = JSON.bool(entry.hostRemovedData ?? false)
        let openDatabases = JSON.integer(Int64(databases.interruptConnections(of: entry)))
        try state.commitForAll { (view) throws(MAMError) in
            try view.journal.update(removed)
            let account = removed.named
            try view.outcomes.add(
                events.outcome(.unenrollRequest, of: account, status), app: removed.app)
            try view.outcomes.add(
                events.outcome(
                    .wipeDidComplete, of: account,
                    [
                        ("reason", .string(removed.reason.rawValue)), ("hostRemovedData", hostRemovedData),
                        ("files", removed.files?.report ?? .null), ("openDatabases", openDatabases),
                    ]),
                app: removed.app)
        }
        emit(.removed, of: entry)
        try reload()
        telemetry.record(.wipe(.unenrollmentSuccess, entry), of: TelemetryAccount(entry))
        log.write(.info, "account \(entry.account.hex) wiped")
        log.write(
            .verbose,
            "account \(entry.account.hex) was \(entry.upn ?? entry.accountId), wiped for \(entry.reason.rawValue)")
        return nil
    }

    /// Report the completed wipe to the authority, now or later. Reporting it twice has no effect.
    func report(_ entry: WipeEntry) throws(MAMError) {
        do throws(MAMError) {
            if let registration = entry.registration, !entry.isReported {
                let facts = hostFacts(try current())
                let reply = try requestFromAuthority { () throws(AuthorityFailure) in
                    try authority.reportWipe(
                        entry.accountId, registration: registration, wipe: entry.wipe, reason: entry.reason,
                        app: appFacts, host: facts)
                }
                // An authority that no longer has the enrollment needs no report.
                if case .failure(let failure) = reply, failure.code != .policyRecordGone {
                    return try reportLater(entry, failure)
                }
            }
            try state.withReservedSpace { () throws(MAMError) in
                try state.commitForAll { (view) throws(MAMError) in
                    guard var kept = try view.journal.all().first(where: { $0.id == entry.id }), kept.hasFilesLeft
                    else { return try view.journal.remove(entry) }
                    (kept.isReported, kept.nextReport) = (true, clock.now() + .minutes(1))
                    try view.journal.update(kept)
                }
            }
            if !entry.isReported { emit(.reported, of: entry) }
            try reload()
        } catch {
            guard error.code != .interrupted else { throw error }
            log.write(.warning, "a finished wipe stays in the journal and is reported again: \(error.message)")
        }
    }

    private func reportLater(_ entry: WipeEntry, _ failure: AuthorityFailure) throws(MAMError) {
        var entry = entry
        entry.failures = min(entry.failures, 1000) + 1
        let (now, fraction) = (clock.now(), randomFraction())
        let next = CheckInIntervals.afterNetworkFailure(Int(entry.failures), at: now, jitter: fraction)
        entry.nextReport = CheckInIntervals.time(next, notBefore: failure.retryAfter, at: now, jitter: fraction)
        let later = entry
        try state.withReservedSpace { () throws(MAMError) in
            try state.commitForAll { (view) throws(MAMError) in try view.journal.update(later) }
        }
        try reload()
        log.write(.warning, "a finished wipe could not be reported (\(failure.code.rawValue)); it will be")
    }
}
