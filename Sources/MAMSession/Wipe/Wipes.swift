import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The open databases of accounts that are wiped.
protocol WipedDatabases: AnyObject, Sendable {
    /// Interrupts this process's connections to the account's databases; returns how many were in a transaction.
    func interruptConnections(of entry: WipeEntry) -> Int
}

/// The beginning of a selective wipe, which no failure may undo: the account is closed in every process; one write replaces its
/// share with a tombstone, after which nobody can open its data; then the journal promises the remaining steps. Every process of
/// the group retries failed steps with its due work.
public final class Wipes: SessionService, AccountWiping, HostWiping, Sendable {
    let context: SessionContext
    let databases: any WipedDatabases

    init(_ context: SessionContext, _ databases: any WipedDatabases) {
        (self.context, self.databases) = (context, databases)
    }

    /// The time limit in milliseconds for writing the journal; the account is closed by then.
    private static let journalTimeout: Int32 = 1000

    /// `mam_wipe_account`: when this returns, nobody can read the account's data.
    public func wipe(_ argument: AccountArgument, reason: WipeReason) throws(MAMError) -> Int64 {
        let identity = try argument.named()
        try settings.checkMayChangeAccounts()
        let (snapshot, problem) = latestKnown()
        let tombstone = Tombstone(reason: reason, wipe: nil)
        let promise: PromisedWipe
        if let account = snapshot.holder(of: identity) {
            wipeDamaged(AccountTag(account.record), tombstone, snapshot)
            promise = promiseWipe(of: account.row.id, AccountTag(account.record), tombstone)
        } else if let promised = snapshot.wipe(of: identity) {
            promise = promised.id.isEmpty ? promiseWipe(again: promised) : PromisedWipe(entry: promised)
        } else if let closed = snapshot.closed.first(where: { $0.tag?.isNamed(identity) ?? false }) {
            promise = promiseWipe(of: closed.id, closed.tag, tombstone)
        } else {
            throw problem ?? snapshot.notRegistered(identity)
        }
        return try begin(promise)
    }

    /// Destroy an account's key now, and carry out the rest of its wipe as an operation, which may have to wait for the host.
    /// Throws if the key could not be destroyed yet.
    func wipe(_ account: Account, _ tombstone: Tombstone) throws(MAMError) {
        wipeDamaged(AccountTag(account.record), tombstone, latestKnown().0)
        _ = try begin(promiseWipe(of: account.row.id, AccountTag(account.record), tombstone))
    }

    /// Wipe former rows of the account that do not verify but whose tag does: if restored, their data would be readable. They come
    /// first, so that a kill in between leaves the account to be wiped. Accounts of an authority that was given up are left alone.
    private func wipeDamaged(_ tag: AccountTag, _ tombstone: Tombstone, _ snapshot: Snapshot) {
        for closed in snapshot.closed where [.tampered, .keyUnavailable].contains(closed.error.code) {
            guard let other = closed.tag, Identity.fold(other.accountId) == Identity.fold(tag.accountId) else {
                continue
            }
            attempt { () throws(MAMError) in _ = try begin(promiseWipe(of: closed.id, other, tombstone)) }
        }
    }

    /// Remove the share and start the operation that completes the wipe. An extension leaves the operation to its containing app.
    private func begin(_ promise: PromisedWipe) throws(MAMError) -> Int64 {
        if promise.keyError == nil, !promise.entry.id.isEmpty {
            attempt { () throws(MAMError) in try shred(promise.entry) }
        }
        let id = settings.isExtension ? 0 : operations.start(.wipe(promise.entry))
        if let keyError = promise.keyError { throw keyError }
        return id
    }

    /// The newest snapshot available within a second, and the error if it may not be the latest: a wipe does not wait for the
    /// state.
    private func latestKnown() -> (Snapshot, MAMError?) {
        do throws(MAMError) { return (try current(within: 1000), nil) } catch { return (snapshots.latest, error) }
    }

    /// A wipe whose account is closed. It is in the journal, unless its id is empty.
    private struct PromisedWipe {
        let entry: WipeEntry
        /// The error that has prevented the destruction of the key.
        var keyError: MAMError?
    }

    /// Close the account in every process, destroy its key, and add the wipe to the journal.
    private func promiseWipe(of account: AccountRowID, _ tag: AccountTag?, _ tombstone: Tombstone) -> PromisedWipe {
        let unwritten = WipeEntry(unwritten: account, app: settings.managedApp, tag: tag, tombstone: tombstone)
        let isClosed = state.recordClosure(account, tombstone)
        emit(.closed, of: unwritten)
        var promise = PromisedWipe(entry: unwritten)
        if let keyError = destroy(account, tombstone) {
            promise.keyError = isClosed ? Wipes.keyNotDestroyed(keyError) : keyError
        }
        attempt { () throws(MAMError) in
            let entry = try state.withReservedSpace { () throws(MAMError) in
                try state.publish(within: Wipes.journalTimeout) { (view) throws(MAMError) -> WipeEntry in
                    try view.journal.promise(unwritten) ?? unwritten
                }
            }
            let keyError = promise.keyError
            promise = PromisedWipe(entry: entry, keyError: keyError)
            if keyError == nil { state.removeClosure(account) }
        }
        // The destroyed key is decisive; this process need not be able to load the state now.
        if promise.entry.id.isEmpty { state.wakeWorkers() }
        _ = try? reload(within: 1000)
        return promise
    }

    /// Continue a wipe that was promised but is not in the journal.
    private func promiseWipe(again promised: WipeEntry) -> PromisedWipe {
        var promise = PromisedWipe(entry: promised)
        promise.keyError = destroy(promised.account, promised.tombstone).map(Wipes.keyNotDestroyed)
        attempt { () throws(MAMError) in
            guard let entry = try adopt(promised) else { return }
            promise = PromisedWipe(entry: entry, keyError: promise.keyError)
        }
        return promise
    }

    /// Destroy an account's key; returns the error, or nil if the key is gone.
    private func destroy(_ account: AccountRowID, _ tombstone: Tombstone) -> MAMError? {
        do throws(MAMError) {
            try state.withReservedSpace { () throws(MAMError) in try state.destroyKey(account, tombstone) }
            return nil
        } catch {
            log.write(.error, "the key of account \(account.hex) could not be destroyed yet: \(error.message)")
            return error
        }
    }

    private static func keyNotDestroyed(_ error: MAMError) -> MAMError {
        MAMError(
            error.code,
            "the account is closed and its wipe goes on by itself, but its key could not be destroyed yet: \(error.message)",
            error.detail)
    }

    /// Add a wipe to the journal that was promised by a tombstone, or by a process that could not write the journal; nil if it is
    /// finished.
    func adopt(_ unwritten: WipeEntry) throws(MAMError) -> WipeEntry? {
        let account = unwritten.account
        let keyError = destroy(account, unwritten.tombstone)
        let entry = try state.withReservedSpace { () throws(MAMError) in
            try state.publish(within: Wipes.journalTimeout) { (view) throws(MAMError) -> WipeEntry? in
                try view.journal.promise(unwritten)
            }
        }
        if keyError == nil { state.removeClosure(account) }
        try reload()
        return entry
    }

    /// Resume wipes: destroy the keys of accounts that are closed for their wipes, add missing wipes to the journal, remove the
    /// shares of every open wipe of the group, and start the operations of this app's wipes. Failed steps are retried with due
    /// work.
    func resumeWipes(notBefore: Int64) {
        let destroyed = state.closures.filter { destroy($0.account, $0.tombstone) == nil }.map(\.account)
        attempt { () throws(MAMError) in
            for unwritten in try current().wipes where unwritten.id.isEmpty {
                attempt { () throws(MAMError) in _ = try adopt(unwritten) }
            }
        }
        attempt { () throws(MAMError) in
            let (entries, settled) = try state.read { (view, _) throws(MAMError) in
                let entries = try view.journal.all()
                var settled: [AccountRowID] = []
                for account in destroyed {
                    // Another app of the group finds the tombstone when it next reads the share.
                    let isOwn = try view.accounts.isOwn(account)
                    if !isOwn || entries.contains(where: { $0.account == account }) { settled.append(account) }
                }
                return (entries, settled)
            }
            for account in settled { state.removeClosure(account) }
            for entry in entries {
                if entry.step < .removed, entry.isTrusted { attempt { () throws(MAMError) in try shred(entry) } }
                guard entry.isTrusted, entry.app == settings.managedApp, !settings.isExtension else { continue }
                operations.startUnlessQueued(.wipe(entry), subject: entry.subject, notBefore: notBefore)
            }
        }
    }

    /// Whether a wipe's key is not destroyed or its promise not in the journal yet.
    func hasUnsettledWipes(_ snapshot: Snapshot) -> Bool {
        !state.closures.isEmpty || snapshot.wipes.contains { $0.id.isEmpty }
    }

    /// Run one of several independent steps; a failure is logged and does not stop the others.
    private func attempt(_ body: () throws(MAMError) -> Void) {
        do throws(MAMError) { try body() } catch {
            log.write(.error, "a wipe could not go on and is tried again: \(error.message)")
        }
    }
}

extension WipeEntry {
    fileprivate var tombstone: Tombstone { Tombstone(reason: reason, wipe: wipe) }
}
