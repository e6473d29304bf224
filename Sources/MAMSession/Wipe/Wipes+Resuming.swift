import MAMState
import MAMSupport

/// Resuming wipes that a killed process or a failure has left.
extension Wipes {
    /// Resume wipes: destroy the keys of accounts that are closed for their wipes, add missing wipes to the journal, remove the
    /// shares of every open wipe of the group, and start the operations of this app's wipes. Failed steps are retried with due
    /// work.
    func resumeWipes(notBefore: Int64) {
        let destroyed = state.accountsClosedForWipe.filter { destroy($0.account, $0.tombstone) == nil }.map(\.account)
        attempt { () throws(MAMError) in
            for missing in try current().wipes where missing.id.isEmpty {
                attempt { () throws(MAMError) in _ = try addToJournal(missing) }
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
            for account in settled { state.removeAccountClosure(account) }
            for entry in entries {
                if entry.step < .removed, entry.isTrusted { attempt { () throws(MAMError) in try removeShare(entry) } }
                guard entry.isTrusted, entry.app == settings.managedApp, !settings.isExtension else { continue }
                operations.startUnlessQueued(.wipe(entry), subject: entry.subject, notBefore: notBefore)
            }
        }
    }

    /// Whether a wipe's key is not destroyed or its promise not in the journal yet.
    func hasUnsettledWipes(_ snapshot: Snapshot) -> Bool {
        !state.accountsClosedForWipe.isEmpty || snapshot.wipes.contains { $0.id.isEmpty }
    }
}
