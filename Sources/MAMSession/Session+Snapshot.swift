import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Loading snapshots.
extension Session: SnapshotLoading {
    func load(within milliseconds: Int64) throws(MAMError) -> Snapshot {
        launchBlocks.applied(
            to: try Snapshot.load(state, settings, device.own, verified, within: milliseconds))
    }

    func didLoad(from old: Snapshot, to new: Snapshot) {
        // The host's log function is called with no lock held.
        log.writeConfigurations(of: snapshots.latest, since: old)
        for problem in new.problems where !old.problems.contains(where: { $0.id == problem.id }) {
            warnClosed(problem.id, problem.error)
        }
    }
}

extension Snapshot {
    /// Load the latest state.
    static func load(
        _ state: State, _ settings: OpenSettings, _ device: HostDevice?, _ verified: DocumentVerifier,
        within milliseconds: Int64 = 60_000
    ) throws(MAMError) -> Snapshot {
        try state.read(within: milliseconds) { (view, generationWord) throws(MAMError) in
            try Snapshot(view: view, generationWord: generationWord, opened: settings, own: device, verified: verified)
        }
    }
}
