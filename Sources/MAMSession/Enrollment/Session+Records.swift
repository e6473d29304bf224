import MAMState
import MAMSupport

/// Account records between two generations: times and codes that nobody has to obey.
extension Session {
    /// What the state says, with the times and codes that other sessions noted since: those make no new generation.
    func currentRecords() throws(MAMError) -> Snapshot {
        let held = try current()
        let rows = try state.read { (view, generation) throws(MAMError) -> [AccountRow] in
            guard generation == held.generation else { return [] }
            return try view.accounts.all().compactMap { if case .open(let row) = $0 { row } else { nil } }
        }
        return lock.held {
            for row in rows where snapshot.generation == held.generation {
                guard let known = snapshot.accounts.first(where: { $0.row.id == row.id }), known.record != row.record
                else { continue }
                snapshot = Snapshot(snapshot, replacing: row)
            }
            return snapshot
        }
    }

    /// Times changed that no other process needs to see: keep the snapshot's copy of the record fresh.
    func noteRecord(_ row: AccountRow) {
        lock.held {
            guard snapshot.accounts.contains(where: { $0.row.id == row.id }) else { return }
            snapshot = Snapshot(snapshot, replacing: row)
        }
        refreshSignal()
    }
}
