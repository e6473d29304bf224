import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The snapshot that answers now, and its successor.
extension Session: SnapshotOwner {
    /// The snapshot of the latest generation; loads it when another thread or process has changed the state.
    func current(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        try snapshots.current(within: milliseconds)
    }

    /// Load the latest state and publish it: handles answer by it, events report what changed.
    @discardableResult
    func reload(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        try snapshots.reload(within: milliseconds)
    }

    /// The snapshot of the latest generation, with the times and codes that other sessions have noted since.
    func currentRecords() throws(MAMError) -> Snapshot { try snapshots.currentRecords() }

    /// Times changed that no other process needs to see.
    func noteRecord(_ row: AccountRow) {
        snapshots.keep(row)
        refreshSignal()
    }

    func load(within milliseconds: Int64) throws(MAMError) -> Snapshot {
        guarded(try Session.load(state, settings, lock.held { ownDevice }, verified, within: milliseconds))
    }

    func didLoad(from old: Snapshot, to new: Snapshot) {
        // The host's log function is called with no lock held.
        logConfigurations(since: old)
        for problem in new.problems where !old.problems.contains(where: { $0.id == problem.id }) {
            warnClosed(problem.id, problem.error)
        }
    }

    static func load(
        _ state: State, _ settings: OpenSettings, _ device: HostDevice?, _ verified: VerifiedDocuments,
        within milliseconds: Int64 = 60_000
    ) throws(MAMError) -> Snapshot {
        try state.read(within: milliseconds) { (view, generation) throws(MAMError) in
            try Snapshot(view: view, generation: generation, opened: settings, own: device, verified: verified)
        }
    }
}
