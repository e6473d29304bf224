import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The beginning of a selective wipe, which nothing that fails may leave undone: the account is closed in every process; one
/// write puts a tombstone in the place of its share, and nothing of it can be opened by anyone; then the journal promises the
/// rest. What cannot be done at once is tried again with whatever is due, by every process of the group.
extension Session {
    /// How long the journal is waited for, once the account is closed and its key was looked after.
    private static let journalPatience: Int32 = 1000

    /// `mam_wipe_account`: when this returns nothing of the account can be read by anyone.
    public func wipe(_ argument: AccountArgument, reason: String) throws(MAMError) -> Int64 {
        let identity = try named(argument)
        try checkMayChangeAccounts()
        let (snapshot, problem) = latestKnown()
        let tombstone = Tombstone(reason: reason, wipe: nil)
        let promise: PromisedWipe
        if let account = snapshot.holder(of: identity) {
            wipeDamaged(AccountTag(account.record), tombstone, snapshot)
            promise = promiseWipe(
                of: account.row.id, AccountTag(account.record), tombstone, isRetiring: account.wasManaged)
        } else if let promised = snapshot.wipe(of: identity) {
            promise = promised.id.isEmpty ? promiseWipe(again: promised) : PromisedWipe(entry: promised)
        } else if let closed = snapshot.closed.first(where: { $0.tag?.isNamed(identity) ?? false }) {
            promise = promiseWipe(of: closed.id, closed.tag, tombstone)
        } else {
            throw problem ?? Session.notRegistered(identity)
        }
        return try begin(promise)
    }

    /// Destroy an account's key now, and carry the rest of its wipe out as an operation of its own: it may have to wait for
    /// the host. `alongside` is committed with the promise. It throws where the key could not be destroyed yet.
    func wipe(
        _ account: Account, _ tombstone: Tombstone, alongside: (StateView) throws(MAMError) -> Void = { _ in }
    ) throws(MAMError) {
        wipeDamaged(AccountTag(account.record), tombstone, latestKnown().0)
        _ = try begin(
            promiseWipe(
                of: account.row.id, AccountTag(account.record), tombstone, isRetiring: account.wasManaged,
                alongside: alongside))
    }

    /// Former rows of the account that do not verify, and whose tag does: restored they would read on. They go first, so that a
    /// kill in between leaves the account to be wiped. What belongs to an authority that was given up stays.
    private func wipeDamaged(_ tag: AccountTag, _ tombstone: Tombstone, _ snapshot: Snapshot) {
        for closed in snapshot.closed where [.tampered, .keyUnavailable].contains(closed.error.code) {
            guard let other = closed.tag, Identity.fold(other.accountId) == Identity.fold(tag.accountId) else {
                continue
            }
            attempt { () throws(MAMError) in _ = try begin(promiseWipe(of: closed.id, other, tombstone)) }
        }
    }

    /// The operation that carries it on; in an extension the containing app asks its host, removes files and reports.
    private func begin(_ promise: PromisedWipe) throws(MAMError) -> Int64 {
        if promise.hindrance == nil, !promise.entry.id.isEmpty {
            attempt { () throws(MAMError) in try shred(promise.entry) }
        }
        let id = settings.isExtension ? 0 : start(.wipe(promise.entry))
        if let hindrance = promise.hindrance { throw hindrance }
        return id
    }

    /// The newest snapshot that can be had soon, and why it may not be the latest: a wipe does not wait for what hinders a
    /// look at the state.
    private func latestKnown() -> (Snapshot, MAMError?) {
        do throws(MAMError) { return (try current(within: 1000), nil) } catch { return (snapshots.latest, error) }
    }

    /// A wipe whose account is closed: in the journal, or not yet (then its id is empty).
    private struct PromisedWipe {
        let entry: WipeEntry
        /// Why the key could not be destroyed yet.
        var hindrance: MAMError?
    }

    /// Close the account in every process, destroy its key, and promise the rest.
    private func promiseWipe(
        of account: AccountRowID, _ tag: AccountTag?, _ tombstone: Tombstone, isRetiring: Bool = true,
        alongside: (StateView) throws(MAMError) -> Void = { _ in }
    ) -> PromisedWipe {
        let unwritten = WipeEntry(unwritten: account, app: settings.managedApp, tag: tag, tombstone: tombstone)
        let isClosed = state.announce(account, tombstone)
        emit("wipeProgress", of: unwritten.named, [("step", "closed")])
        var promise = PromisedWipe(entry: unwritten)
        if let hindrance = destroy(account, tombstone) {
            promise.hindrance = isClosed ? Session.hindered(hindrance) : hindrance
        }
        attempt { () throws(MAMError) in
            let entry = try state.urgently { () throws(MAMError) in
                try state.publish(within: Session.journalPatience) { (view) throws(MAMError) -> WipeEntry in
                    if let promised = try view.journal.all().first(where: { $0.account == account }) { return promised }
                    // Another process has finished it meanwhile.
                    guard try view.accounts.isOwn(account) else { return unwritten }
                    try leave(view, account)
                    try alongside(view)
                    // The wipe takes the names; that they were managed here stays known.
                    if isRetiring { try retireNames(of: unwritten, view) }
                    return try view.journal.add(unwritten)
                }
            }
            let hindrance = promise.hindrance
            promise = PromisedWipe(entry: entry, hindrance: hindrance)
            if hindrance == nil { state.settle(account) }
        }
        // The key is what counts: whether this process can load the state now is not.
        if promise.entry.id.isEmpty { state.ring() }
        _ = try? reload(within: 1000)
        return promise
    }

    /// The same for one that was promised and is not in the journal.
    private func promiseWipe(again promised: WipeEntry) -> PromisedWipe {
        var promise = PromisedWipe(entry: promised)
        promise.hindrance = destroy(promised.account, promised.tombstone).map(Session.hindered)
        attempt { () throws(MAMError) in
            guard let entry = try adopt(promised) else { return }
            promise = PromisedWipe(entry: entry, hindrance: promise.hindrance)
        }
        return promise
    }

    /// Why the key could not be destroyed; nil where it is gone.
    private func destroy(_ account: AccountRowID, _ tombstone: Tombstone) -> MAMError? {
        do throws(MAMError) {
            try state.urgently { () throws(MAMError) in try state.destroy(account, tombstone) }
            return nil
        } catch {
            log.write(.error, "the key of account \(account.hex) could not be destroyed yet: \(error.message)")
            return error
        }
    }

    private static func hindered(_ error: MAMError) -> MAMError {
        MAMError(
            error.code,
            "the account is closed and its wipe goes on by itself, but its key could not be destroyed yet: \(error.message)",
            error.detail)
    }

    /// Write a promise down that a tombstone made, or a process that could not write it; nil where it is finished.
    func adopt(_ unwritten: WipeEntry) throws(MAMError) -> WipeEntry? {
        let account = unwritten.account
        let hindrance = destroy(account, unwritten.tombstone)
        let entry = try state.urgently { () throws(MAMError) in
            try state.publish(within: Session.journalPatience) { (view) throws(MAMError) -> WipeEntry? in
                if let written = try view.journal.all().first(where: { $0.account == account }) { return written }
                guard try view.accounts.isOwn(account) else { return nil }
                try leave(view, account)
                try retireNames(of: unwritten, view)
                if unwritten.reason == Session.pinReason { try markWiped(unwritten.accountId, view) }
                return try view.journal.add(unwritten)
            }
        }
        if hindrance == nil { state.settle(account) }
        try reload()
        return entry
    }

    /// The names of an account that is wiped, but for those that another one was enrolled under since it was closed.
    private func retireNames(of entry: WipeEntry, _ view: StateView) throws(MAMError) {
        var taken: [[UInt8]] = []
        for case .open(let row) in try view.accounts.all()
        where row.id != entry.account && row.record.state == EnrollmentState.enrolled.rawValue {
            taken += row.record.allNames.map { Identity.fold($0) }
        }
        try view.names.retire(entry.allNames.filter { !taken.contains(Identity.fold($0)) })
    }

    /// Keys of accounts that are closed for their wipes go, promises that are not in the journal get there, shares of every
    /// open wipe of the group go, and those of this app are carried out. What fails is tried again with whatever is due.
    func resumeWipes(notBefore: Int64) {
        let destroyed = state.announcements.filter { destroy($0.account, $0.tombstone) == nil }.map(\.account)
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
                    // The tombstone tells another app of the group, whenever it looks.
                    let isOwn = try view.accounts.isOwn(account)
                    if !isOwn || entries.contains(where: { $0.account == account }) { settled.append(account) }
                }
                return (entries, settled)
            }
            for account in settled { state.settle(account) }
            for entry in entries {
                if entry.step < .removed, entry.isTrusted { attempt { () throws(MAMError) in try shred(entry) } }
                guard entry.isTrusted, entry.app == settings.managedApp, !settings.isExtension else { continue }
                lock.held { operations.addUnlessQueued(.wipe(entry), subject: entry.subject, notBefore: notBefore) }
            }
        }
    }

    /// Whether a wipe waits for what hindered it.
    func hasHinderedWipes(_ snapshot: Snapshot) -> Bool {
        !state.announcements.isEmpty || snapshot.wipes.contains { $0.id.isEmpty }
    }

    /// One step of many: the others do not wait for it.
    private func attempt(_ body: () throws(MAMError) -> Void) {
        do throws(MAMError) { try body() } catch {
            log.write(.error, "a wipe could not go on and is tried again: \(error.message)")
        }
    }
}

extension WipeEntry {
    fileprivate var tombstone: Tombstone { Tombstone(reason: reason, wipe: wipe) }
}
