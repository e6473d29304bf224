import CPlatform
import MAMState
import MAMSupport

/// Makes snapshots and is told which one answers.
protocol SnapshotOwner: AnyObject {
    /// Read the state, within so many milliseconds.
    func load(within milliseconds: Int64) throws(MAMError) -> Snapshot
    /// A snapshot answers now. No other is published meanwhile.
    func publish(from old: Snapshot, to new: Snapshot)
    /// A load was published. No lock is held.
    func didLoad(from old: Snapshot, to new: Snapshot)
}

/// The life of the snapshot: which one answers, its successors, and whether the state is still where it was.
final class Snapshots: @unchecked Sendable {
    private struct Held {
        var snapshot: Snapshot
        /// Loads that were begun, and which of them the snapshot is from.
        var loads: UInt64 = 0
        var load: UInt64 = 0
        /// When the state's place was last looked at.
        var lastLook = Int64.min / 2
        /// The state is not that of the others any more.
        var isDetached = false

        mutating func keep(_ row: AccountRow) {
            guard let known = snapshot.accounts.first(where: { $0.row.id == row.id }), known.record != row.record else {
                return
            }
            snapshot = Snapshot(snapshot, replacing: row)
        }
    }

    private let state: State
    private let interrupts: Interrupts
    private let held: Locked<Held>
    private let publishing = Lock()  // held while a snapshot is loaded and published
    /// Set once, as soon as there is one: before any load.
    unowned var owner: (any SnapshotOwner)?

    init(_ first: Snapshot, of state: State, _ interrupts: Interrupts) {
        (self.state, self.interrupts) = (state, interrupts)
        held = Locked(Held(snapshot: first))
    }

    /// The one that answers now, whatever others have written since.
    var latest: Snapshot { held.held { $0.snapshot } }

    /// The snapshot of the latest generation; loads it when another thread or process has changed the state.
    func current(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        let now = platform_time_coarse()
        let (latest, isDue) = held.held { held -> (Snapshot, Bool) in
            let isDue = held.isDetached || now > held.lastLook &+ 200
            if isDue { held.lastLook = now }
            return (held.snapshot, isDue)
        }
        if isDue { try lookAtPlace() }
        if state.isCurrent(latest.generation) { return latest }
        return try reload(within: milliseconds)
    }

    /// Five times a second at most: whether the state and the shared words are still those of the others. Once they are not,
    /// nothing is answered from here any more.
    private func lookAtPlace() throws(MAMError) {
        do throws(MAMError) { try state.checkPlace() } catch {
            held.held { $0.isDetached = true }
            platform_generation_set(state.words, platform_generation(state.words) | 1)
            throw error
        }
    }

    /// Load the latest state and publish it. A load that began after the call did is new enough, whoever made it: commits
    /// without end keep nobody from an answer.
    @discardableResult
    func reload(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        let until = platform_time_monotonic() &+ milliseconds
        var former: Snapshot?
        let begun = held.held { $0.loads }
        func newEnough() -> Snapshot? {
            let (latest, load) = held.held { ($0.snapshot, $0.load) }
            return load > begun || state.isCurrent(latest.generation) ? latest : nil
        }
        let result = try publishing.held(within: milliseconds, unless: interrupts, already: newEnough) {
            () throws(MAMError) -> Snapshot in
            if let latest = newEnough() { return latest }
            let load = held.held { held -> UInt64 in
                held.loads += 1
                return held.loads
            }
            // A commit from here on comes after this load; a process that was killed while committing has left the word odd.
            if state.isBeingCommitted { try? state.repairGenerationIfFree() }
            guard let fresh = try owner?.load(within: max(0, until &- platform_time_monotonic())) else { return latest }
            former = publish(fresh)
            held.held { $0.load = load }
            return fresh
        }
        guard let result else { throw Snapshots.isLoading }
        if let former { owner?.didLoad(from: former, to: result) }
        return result
    }

    /// Publish what `successor` makes of the snapshot that answers; nothing where that is the same one.
    func replace(_ successor: (Snapshot) -> Snapshot) throws(MAMError) {
        try whileNoneIsPublished { latest in
            let fresh = successor(latest)
            if fresh !== latest { publish(fresh) }
        }
    }

    /// Run with the snapshot that answers, which stays it meanwhile. `.busy` where another thread loads for too long.
    func whileNoneIsPublished<R>(_ body: (Snapshot) throws(MAMError) -> R) throws(MAMError) -> R {
        let done = try publishing.held(within: 60_000, unless: interrupts) { () throws(MAMError) in try body(latest) }
        guard let done else { throw Snapshots.isLoading }
        return done
    }

    /// The same for what has to be done: however long others load.
    func whilePublishingWaits(_ body: () -> Void) { publishing.held(body) }

    // Times and codes that nobody has to obey change without a new generation.

    /// The snapshot of the latest generation, with the times and codes that other sessions have noted since.
    func currentRecords() throws(MAMError) -> Snapshot {
        let generation = try current().generation
        let rows = try state.read { (view, latest) throws(MAMError) -> [AccountRow] in
            guard latest == generation else { return [] }
            return try view.accounts.all().compactMap { if case .open(let row) = $0 { row } else { nil } }
        }
        return held.held { held in
            for row in rows where held.snapshot.generation == generation { held.keep(row) }
            return held.snapshot
        }
    }

    /// Keep the copy of a record fresh that this session has written.
    func keep(_ row: AccountRow) { held.held { $0.keep(row) } }

    @discardableResult
    private func publish(_ fresh: Snapshot) -> Snapshot {
        let old = held.held { held -> Snapshot in
            defer { held.snapshot = fresh }
            return held.snapshot
        }
        owner?.publish(from: old, to: fresh)
        return old
    }

    private static let isLoading = MAMError(.busy, "another thread is loading the state for too long; try again")

    // Around a fork: loads come before the locks of the owner, the snapshot after them.

    func beforeFork() { publishing.take() }
    func beforeForkLast() { held.beforeFork() }

    func afterForkInParent() {
        held.afterForkInParent()
        publishing.drop()
    }

    func afterForkInChild() {
        held.afterForkInChild()
        publishing.reset()
    }
}
