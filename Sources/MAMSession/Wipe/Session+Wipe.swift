import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// A selective wipe. One write puts a tombstone in the place of the account's share: from here on nothing of the account
/// can be opened by anyone, and the wipe is promised. Then the journal row, which every process obeys; the share's file goes;
/// the host is asked; rows go; it is reported. Killed anywhere, the next open of the app carries it on.
extension Session {
    /// `mam_wipe_account`: when this returns nothing of the account can be read by anyone.
    public func wipe(_ argument: AccountArgument, reason: String) throws(MAMError) -> Int64 {
        let identity = try named(argument)
        let snapshot = try current()
        try checkMayChangeAccounts()
        let entry: WipeEntry
        if let account = snapshot.holder(of: identity) {
            entry = try promiseWipe(
                of: account.row.id, AccountTag(account.record), Tombstone(reason: reason, wipe: nil),
                isRetiring: account.key != nil)
        } else if let promised = snapshot.wipe(of: identity) {
            entry = promised.id.isEmpty ? try adopt(promised) : promised
        } else if let closed = snapshot.closed.first(where: { $0.tag?.isNamed(identity) ?? false }) {
            entry = try promiseWipe(of: closed.id, closed.tag, Tombstone(reason: reason, wipe: nil))
        } else {
            throw Session.notRegistered(identity)
        }
        try shred(entry)
        return start(.wipe(entry))
    }

    /// Destroy an account's key now, and carry the rest of its wipe out as an operation of its own: it may have to wait for
    /// the host.
    func wipe(
        _ account: Account, _ tombstone: Tombstone, alongside: (StateView) throws(MAMError) -> Void = { _ in }
    ) throws(MAMError) {
        let entry = try promiseWipe(
            of: account.row.id, AccountTag(account.record), tombstone, isRetiring: account.key != nil,
            alongside: alongside)
        try shred(entry)
        // The containing app of an extension asks its host, removes files and reports.
        if !settings.isExtension { _ = start(.wipe(entry)) }
    }

    /// Destroy the key and promise the wipe; from the commit on every process refuses the account. `alongside` is committed
    /// with the promise.
    func promiseWipe(
        of account: AccountRowID, _ tag: AccountTag?, _ tombstone: Tombstone, isRetiring: Bool = true,
        alongside: (StateView) throws(MAMError) -> Void = { _ in }
    ) throws(MAMError) -> WipeEntry {
        // Should the commit fail after the tombstone, the word stays odd until everybody has looked again.
        let entry = try state.urgently { () throws(MAMError) in
            try state.publish { (view) throws(MAMError) in
                if let promised = try view.journal.all().first(where: { $0.account == account }) { return promised }
                try leave(view, account)
                try alongside(view)
                let entry = WipeEntry(unwritten: account, app: settings.managedApp, tag: tag, tombstone: tombstone)
                // The wipe takes the names; that they were managed here stays known.
                if isRetiring { try view.names.retire(entry.allNames) }
                return try view.journal.promise(entry)
            }
        }
        // The key is what counts, and it is gone: whether this process can load the state now is not.
        _ = try? reload()
        emit("wipeProgress", accountId: entry.accountId, [("step", "closed")])
        return entry
    }

    /// Write a promise down that a tombstone made, by a process that was killed before its commit.
    private func adopt(_ unwritten: WipeEntry) throws(MAMError) -> WipeEntry {
        try state.urgently { () throws(MAMError) in
            let entry = try state.publish { (view) throws(MAMError) in
                if let written = try view.journal.all().first(where: { $0.account == unwritten.account }) {
                    return written
                }
                try leave(view, unwritten.account)
                try view.names.retire(unwritten.allNames)
                if unwritten.reason == Session.pinReason { try markWiped(unwritten.accountId, view) }
                return try view.journal.add(unwritten)
            }
            try reload()
            return entry
        }
    }

    /// Remove the share's file, and note that it is gone.
    func shred(_ entry: WipeEntry) throws(MAMError) {
        try state.shred(entry.account)
        guard entry.step < .shredded else { return }
        // The worker may carry the wipe on while the call that began it is here: told once.
        let isFirst = try state.urgently { () throws(MAMError) in
            try state.write { (view) throws(MAMError) in try view.journal.reach(.shredded, entry) }
        }
        guard isFirst else { return }
        emit("wipeProgress", accountId: entry.accountId, [("step", "shredded")])
    }

    /// Promises that are not in the journal get there, shares of every open wipe of the group go, and those of this app are
    /// carried out.
    func resumeWipes(notBefore: Int64) throws(MAMError) {
        for unwritten in try current().wipes where unwritten.id.isEmpty {
            _ = try adopt(unwritten)
        }
        for entry in try state.read({ (view, _) throws(MAMError) in try view.journal.all() }) {
            if entry.step < .removed, entry.isTrusted { try shred(entry) }
            guard entry.isTrusted, entry.app == settings.managedApp, !settings.isExtension else { continue }
            lock.held { operations.addUnlessQueued(.wipe(entry), subject: entry.id, notBefore: notBefore) }
        }
    }

    /// Carry a wipe on from where it is. What fails is told (215), and tried again a second later.
    func carryOut(_ promised: WipeEntry) throws(MAMError) -> Outcome {
        guard let lease = try state.lease(.wipe) else { return .again(at: platform_time_monotonic() &+ 50) }
        return try withExtendedLifetime(lease) { () throws(MAMError) in
            let found = try state.read { (view, _) throws(MAMError) in
                try view.journal.all().first { $0.id == promised.id }
            }
            guard var entry = found, entry.isTrusted else {
                // It was finished meanwhile: by another process, or by what was due in this one.
                return .done(status(.unenrollmentSuccess, accountId: promised.accountId, upn: promised.upn))
            }
            do throws(MAMError) {
                let pause = try state.urgently { () throws(MAMError) in try finish(&entry) }
                if let pause { return pause }
            } catch {
                guard error.code != .interrupted else { throw error }
                log.write(.error, "a wipe could not go on and is tried again: \(error.message)")
                return .done(
                    status(.failedToClearMamData, accountId: entry.accountId, upn: entry.upn, message: error.message))
            }
            report(entry)
            return .done(status(.unenrollmentSuccess, accountId: entry.accountId, upn: entry.upn))
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
            try state.write { (view) throws(MAMError) in try view.journal.update(asked) }
            emit("wipeProgress", accountId: entry.accountId, [("step", "asked")])
        }
        guard entry.step < .removed else { return nil }
        try removeFiles(&entry)
        return try remove(&entry)
    }

    private func askToRemove(_ entry: WipeEntry) -> Asked {
        ask(
            .wipeData, subject: hexadecimal(entry.id),
            [("accountId", .string(entry.accountId)), ("upn", .optional(entry.upn))])
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
        try state.publish { (view) throws(MAMError) in
            try view.journal.update(removed)
            let id = removed.accountId
            try view.outcomes.add(event("unenrollRequest", accountId: id, [("status", status.json)]), app: removed.app)
            try view.outcomes.add(
                event(
                    "wipeDidComplete", accountId: id,
                    [
                        ("reason", .string(removed.reason)), ("hostRemovedData", hostRemovedData),
                        ("files", removed.files?.report ?? .null),
                    ]),
                app: removed.app)
        }
        emit("wipeProgress", accountId: entry.accountId, [("step", "removed")])
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
                        entry.accountId, registration: registration, wipe: entry.wipe, app: appFacts, host: facts)
                }
                // Where it has forgotten the enrollment there is nobody to tell.
                if case .failure(let failure) = told, failure.code != .policyRecordGone {
                    return try reportLater(entry, failure.code)
                }
            }
            try state.urgently { () throws(MAMError) in
                try state.publish { (view) throws(MAMError) in try view.journal.remove(entry) }
            }
            emit("wipeProgress", accountId: entry.accountId, [("step", "reported")])
            try reload()
        } catch { log.write(.warning, "a finished wipe could not be struck from the journal: \(error.message)") }
    }

    private func reportLater(_ entry: WipeEntry, _ code: StatusCode) throws(MAMError) {
        var entry = entry
        entry.failures = min(entry.failures, 1000) + 1
        entry.nextReport = Schedule.next(
            after: .policyEndPointNetworkFailure, at: clock.now(), failures: Int(entry.failures), interval: nil,
            isInUse: true, hasOnlyConfiguration: false, jitter: jitter())
        let later = entry
        try state.publish { (view) throws(MAMError) in try view.journal.update(later) }
        try reload()
        log.write(.warning, "a finished wipe could not be reported (\(code.rawValue)); it will be")
    }
}
