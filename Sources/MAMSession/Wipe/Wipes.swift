import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The open databases of accounts that are wiped.
protocol WipedDatabases: AnyObject, Sendable {
    /// Interrupts this process's connections to the account's databases; returns how many were in a transaction.
    func interruptConnections(of entry: WipeEntry) -> Int
}

/// Begins selective wipes, which no failure may undo; `Wipes+Resuming` resumes them, and `Wipes+Steps` completes them. A wipe begins
/// in three steps: the account is closed in every process; one write replaces its share with a tombstone, after which nobody can
/// open its data; then the journal promises the remaining steps. Every process of the group retries failed steps with its due work.
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
        let begun: BegunWipe
        if let account = snapshot.unopenable.first(where: { $0.id.hex == identity.text }) {
            // A closed account may have the names of another by now. Files are known by account ids.
            if let tag = account.tag,
                let other = snapshot.accounts.first(where: {
                    $0.record.accountId.map(Identity.fold) == Identity.fold(tag.accountId)
                })
            {
                throw MAMError(
                    .already,
                    "\(account.id.hex): \(other.record.accountId ?? tag.accountId) is an account here again, and files of the two are "
                        + "not told apart: wipe that account first",
                    [("accountId", .string(tag.accountId))])
            }
            begun = closeAndDestroyKey(of: account.id, account.tag, tombstone)
        } else if let account = snapshot.holder(of: identity) {
            wipeDamaged(AccountTag(account.record), tombstone, snapshot)
            begun = closeAndDestroyKey(of: account.row, tombstone)
        } else if let entry = snapshot.wipe(of: identity) {
            begun = entry.id.isEmpty ? resumeUnjournaled(entry) : BegunWipe(entry: entry)
        } else if let account = snapshot.unopenable.first(where: { $0.tag?.isNamed(identity) ?? false }) {
            begun = closeAndDestroyKey(of: account.id, account.tag, tombstone)
        } else {
            throw problem ?? snapshot.notRegistered(identity)
        }
        return try startRemainingSteps(of: begun)
    }

    /// Destroy an account's key now, and carry out the rest of its wipe as an operation, which may have to wait for the host.
    /// Throws if the key could not be destroyed yet.
    func wipe(_ account: AccountRow, _ tombstone: Tombstone) throws(MAMError) {
        wipeDamaged(AccountTag(account.record), tombstone, latestKnown().0)
        _ = try startRemainingSteps(of: closeAndDestroyKey(of: account, tombstone))
    }

    private func closeAndDestroyKey(of account: AccountRow, _ tombstone: Tombstone) -> BegunWipe {
        closeAndDestroyKey(of: account.id, AccountTag(account.record), tombstone, account)
    }

    /// Wipe former rows of the account that do not verify but whose tag does: if restored, their data would be readable. These
    /// rows are wiped first, so that a kill in between leaves the account to be wiped. Accounts of an authority that was given up
    /// are left alone.
    private func wipeDamaged(_ tag: AccountTag, _ tombstone: Tombstone, _ snapshot: Snapshot) {
        for account in snapshot.unopenable where [.tampered, .keyUnavailable].contains(account.error.code) {
            guard let other = account.tag, Identity.fold(other.accountId) == Identity.fold(tag.accountId) else {
                continue
            }
            attempt { () throws(MAMError) in
                _ = try startRemainingSteps(of: closeAndDestroyKey(of: account.id, other, tombstone))
            }
        }
    }

    /// Remove the share and start the operation that completes the wipe. An extension leaves the operation to its containing app.
    private func startRemainingSteps(of begun: BegunWipe) throws(MAMError) -> Int64 {
        if begun.keyError == nil, !begun.entry.id.isEmpty {
            attempt { () throws(MAMError) in try removeShare(begun.entry) }
        }
        let id = settings.isExtension ? 0 : operations.start(.wipe(begun.entry))
        if snapshots.latest.nextRevocation != nil { revokeSoon() }
        if let keyError = begun.keyError { throw keyError }
        return id
    }

    /// The newest snapshot available within a second, and the error if it may not be the latest: a wipe does not wait for the
    /// state.
    private func latestKnown() -> (Snapshot, MAMError?) {
        do throws(MAMError) { return (try current(within: 1000), nil) } catch { return (snapshots.latest, error) }
    }

    /// A wipe whose account is closed. It is in the journal, unless its id is empty.
    private struct BegunWipe {
        let entry: WipeEntry
        /// The error that has prevented the destruction of the key.
        var keyError: MAMError?
    }

    /// Close the account in every process, destroy its key, and add the wipe to the journal. `row` is the account as this process has
    /// opened it; nil where it does not open.
    private func closeAndDestroyKey(
        of account: AccountRowID, _ tag: AccountTag?, _ tombstone: Tombstone, _ row: AccountRow? = nil
    ) -> BegunWipe {
        let unjournaled = WipeEntry(notInJournal: account, app: settings.managedApp, tag: tag, tombstone: tombstone)
        let isClosed = state.recordAccountClosure(account, tombstone)
        emit(.closed, of: unjournaled)
        // Once the key is destroyed, only this process can read them, as long as it lives.
        if isClosed, let row {
            attempt { () throws(MAMError) in try giveUpTokens(ofWiped: row, within: Wipes.journalTimeout) }
        }
        var begun = BegunWipe(entry: unjournaled)
        if let keyError = destroy(account, tombstone) {
            begun.keyError = isClosed ? Wipes.keyNotDestroyed(keyError) : keyError
        }
        attempt { () throws(MAMError) in
            let entry = try state.withReservedSpace { () throws(MAMError) in
                try state.commitForAll(within: Wipes.journalTimeout) { (view) throws(MAMError) -> WipeEntry in
                    if let row { try? view.giveUpTokens(of: row, at: clock.now()) }
                    return try view.journal.promise(unjournaled, at: clock.now()) ?? unjournaled
                }
            }
            let keyError = begun.keyError
            begun = BegunWipe(entry: entry, keyError: keyError)
            if keyError == nil { state.removeAccountClosure(account) }
        }
        // The destroyed key is decisive; this process need not be able to load the state now.
        if begun.entry.id.isEmpty { state.wakeWorkers() }
        _ = try? reload(within: 1000)
        return begun
    }

    /// Continue a wipe that a tombstone promises and the journal does not have.
    private func resumeUnjournaled(_ unjournaled: WipeEntry) -> BegunWipe {
        var begun = BegunWipe(entry: unjournaled)
        begun.keyError = destroy(unjournaled.account, unjournaled.tombstone).map(Wipes.keyNotDestroyed)
        attempt { () throws(MAMError) in
            guard let entry = try addToJournal(unjournaled) else { return }
            begun = BegunWipe(entry: entry, keyError: begun.keyError)
        }
        return begun
    }

    /// Destroy an account's key; returns the error, or nil if the key is gone.
    func destroy(_ account: AccountRowID, _ tombstone: Tombstone) -> MAMError? {
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

    /// Add a wipe to the journal that a tombstone promises, or a process that could not write the journal; nil if it is finished.
    func addToJournal(_ unjournaled: WipeEntry) throws(MAMError) -> WipeEntry? {
        let account = unjournaled.account
        let keyError = destroy(account, unjournaled.tombstone)
        let entry = try state.withReservedSpace { () throws(MAMError) in
            try state.commitForAll(within: Wipes.journalTimeout) { (view) throws(MAMError) -> WipeEntry? in
                try view.journal.promise(unjournaled, at: clock.now())
            }
        }
        if keyError == nil { state.removeAccountClosure(account) }
        try reload()
        return entry
    }

    /// Run one of several independent steps; a failure is logged and does not stop the others.
    func attempt(_ body: () throws(MAMError) -> Void) {
        do throws(MAMError) { try body() } catch {
            log.write(.error, "a wipe could not go on and is tried again: \(error.message)")
        }
    }
}

extension WipeEntry {
    fileprivate var tombstone: Tombstone { Tombstone(reason: reason, wipe: wipe) }
}
