import CProcess
import MAMState
import MAMSupport

/// Loads snapshots, and distributes those that are installed.
protocol SnapshotLoading: AnyObject {
    /// Read the state within `milliseconds`.
    func load(within milliseconds: Int64) throws(MAMError) -> Snapshot
    /// Pass a snapshot that was installed to the services. No other is installed during this call.
    func distribute(from old: Snapshot, to new: Snapshot)
    /// A loaded snapshot was distributed. Called with no lock held.
    func didLoad(from old: Snapshot, to new: Snapshot)
}

/// The current snapshot, its replacement by newer ones, and the check that the state's files were not replaced.
final class Snapshots: Sendable {
    private struct Contents {
        var snapshot: Snapshot
        /// The number of loads begun, and which of them made the snapshot.
        var begunLoads: UInt64 = 0
        var completedLoad: UInt64 = 0
        /// When the state's files were last checked.
        var lastCheck = Int64.min / 2
        /// The state's files were replaced: other processes use others.
        var isDetached = false

        mutating func update(_ row: AccountRow) {
            guard let known = snapshot.accounts.first(where: { $0.row.id == row.id }), known.record != row.record else {
                return
            }
            snapshot = Snapshot(snapshot, replacing: row)
        }
    }

    private let state: State
    private let interrupts: InterruptSource
    private let contents: Locked<Contents>
    private let publishing = Lock()  // from the start of a load until its snapshot is published
    /// Set before any load. It does not keep the session.
    let loader = SetOnce<@Sendable () -> (any SnapshotLoading)?>()

    init(_ first: Snapshot, of state: State, _ interrupts: InterruptSource) {
        (self.state, self.interrupts) = (state, interrupts)
        contents = Locked(Contents(snapshot: first))
    }

    /// The current snapshot, even if other processes have written since.
    var latest: Snapshot { contents.withLock { $0.snapshot } }

    /// The snapshot of the latest generation; loads it when another thread or process has changed the state.
    func current(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        let now = process_clock_monotonic_coarse_ms()
        let (latest, isDue) = contents.withLock { contents -> (Snapshot, Bool) in
            let isDue = contents.isDetached || now > contents.lastCheck &+ 200
            if isDue { contents.lastCheck = now }
            return (contents.snapshot, isDue)
        }
        if isDue { try checkFiles() }
        if state.isCurrent(latest.generationWord) { return latest }
        return try reload(within: milliseconds)
    }

    /// Check that the state's files and shared words are still those that other processes use. Once they are not, every question of
    /// this session fails.
    private func checkFiles() throws(MAMError) {
        do throws(MAMError) { try state.checkUnreplaced() } catch {
            contents.withLock { $0.isDetached = true }
            // An odd word matches no snapshot, so predicates of all users of these words load anew, and are answered closed when
            // that fails.
            shared_generation_word_set(state.words, shared_generation_word(state.words) | 1)
            throw error
        }
    }

    /// Load the latest state and publish it. The result of another thread's load is used if that began after this call; otherwise
    /// commits that never pause would keep a caller waiting.
    @discardableResult
    func reload(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        let until = process_clock_monotonic_ms() &+ milliseconds
        var former: Snapshot?
        let begun = contents.withLock { $0.begunLoads }
        func newEnough() -> Snapshot? {
            let (latest, load) = contents.withLock { ($0.snapshot, $0.completedLoad) }
            return load > begun || state.isCurrent(latest.generationWord) ? latest : nil
        }
        let result = try publishing.withLock(within: milliseconds, unless: interrupts, already: newEnough) {
            () throws(MAMError) -> Snapshot in
            if let latest = newEnough() { return latest }
            let load = contents.withLock { contents -> UInt64 in
                contents.begunLoads += 1
                return contents.begunLoads
            }
            // Commits from here on follow this load. A process that was killed while committing has left the word odd.
            if state.isBeingCommitted { try? state.repairGenerationIfFree() }
            guard let loader = loader.value?() else { return latest }
            let fresh = try loader.load(within: max(0, until &- process_clock_monotonic_ms()))
            former = install(fresh)
            contents.withLock { $0.completedLoad = load }
            return fresh
        }
        guard let result else { throw Snapshots.loadTimeoutError }
        if let former { loader.value?()?.didLoad(from: former, to: result) }
        return result
    }

    /// Publish the result of `successor` for the current snapshot, unless it is the same one.
    func replace(_ successor: (Snapshot) -> Snapshot) throws(MAMError) {
        try whileNoneIsPublished { latest in
            let fresh = successor(latest)
            if fresh !== latest { install(fresh) }
        }
    }

    /// Run with the current snapshot while no other is published. `.busy` if another thread loads for too long.
    func whileNoneIsPublished<R>(_ body: (Snapshot) throws(MAMError) -> R) throws(MAMError) -> R {
        let done = try publishing.withLock(within: 60_000, unless: interrupts) { () throws(MAMError) in try body(latest)
        }
        guard let done else { throw Snapshots.loadTimeoutError }
        return done
    }

    /// Run while no snapshot is published, however long another thread loads.
    func whilePublishingWaits(_ body: () -> Void) { publishing.withLock(body) }

    // Times and codes of accounts change without a new generation.

    /// The snapshot of the latest generation, with the times and codes that other sessions have recorded since.
    func currentRecords() throws(MAMError) -> Snapshot {
        let generationWord = try current().generationWord
        let rows = try state.read { (view, latest) throws(MAMError) -> [AccountRow] in
            guard latest == generationWord else { return [] }
            return try view.accounts.all().compactMap { if case .open(let row) = $0 { row } else { nil } }
        }
        return contents.withLock { contents in
            for row in rows where contents.snapshot.generationWord == generationWord { contents.update(row) }
            return contents.snapshot
        }
    }

    /// Update the snapshot's copy of a record that this session has written.
    func update(_ row: AccountRow) { contents.withLock { $0.update(row) } }

    @discardableResult
    private func install(_ fresh: Snapshot) -> Snapshot {
        let old = contents.withLock { contents -> Snapshot in
            defer { contents.snapshot = fresh }
            return contents.snapshot
        }
        loader.value?()?.distribute(from: old, to: fresh)
        return old
    }

    private static let loadTimeoutError = MAMError(.busy, "another thread is loading the state for too long; try again")

    // Locking order across a fork: `loadLock` comes before the locks of the delegate, `snapshotLock` after them.

    var loadLock: any ForkAware { publishing }
    var snapshotLock: any ForkAware { contents }
}
