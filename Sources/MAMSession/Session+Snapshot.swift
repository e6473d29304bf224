import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The snapshot that answers now, and its successor.
extension Session {
    /// The snapshot of the latest generation; loads it when another thread or process has changed the state.
    func current(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        let now = platform_time_coarse()
        let (held, isDue) = lock.held { () -> (Snapshot, Bool) in
            let isDue = isDetached || now > lastLook &+ 200
            if isDue { lastLook = now }
            return (snapshot, isDue)
        }
        if isDue { try lookAtPlace() }
        if state.isCurrent(held.generation) { return held }
        return try reload(within: milliseconds)
    }

    /// Five times a second at most: whether the state and the shared words are still those of the others. Once they are not,
    /// nothing is answered from here any more.
    private func lookAtPlace() throws(MAMError) {
        do throws(MAMError) { try state.checkPlace() } catch {
            lock.held { isDetached = true }
            platform_generation_set(state.words, platform_generation(state.words) | 1)
            throw error
        }
    }

    /// Load the latest state and publish it: handles answer by it, events tell what changed. A load that began after the call
    /// did is new enough, whoever made it: commits without end keep nobody from an answer.
    @discardableResult
    func reload(within milliseconds: Int64 = 60_000) throws(MAMError) -> Snapshot {
        let until = platform_time_monotonic() &+ milliseconds
        var problems: [(id: AccountRowID, error: MAMError)] = []
        var former: Snapshot?
        let begun = lock.held { loads }
        func latest() -> Snapshot? {
            let (held, load) = lock.held { (snapshot, snapshotLoad) }
            return load > begun || state.isCurrent(held.generation) ? held : nil
        }
        let result = try publishing.held(within: milliseconds, unless: interrupts, already: latest) {
            () throws(MAMError) -> Snapshot in
            if let held = latest() { return held }
            let load = lock.held {
                loads += 1
                return loads
            }
            // Whoever commits now comes after this load; whoever was killed while committing has left the word odd.
            if state.isBeingCommitted { try? state.repairGenerationIfFree() }
            let left = max(0, until &- platform_time_monotonic())
            let fresh = guarded(try Session.load(state, settings, lock.held { ownDevice }, verified, within: left))
            former = lock.held { snapshot }
            problems = publish(fresh)
            lock.held { snapshotLoad = load }
            return fresh
        }
        // The host's log function is called with no lock held.
        if let former { logConfigurations(since: former) }
        for problem in problems { warnClosed(problem.id, problem.error) }
        guard let result else { throw Session.isLoading }
        return result
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
