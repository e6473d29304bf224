import CPlatform
import MAMState
import MAMSupport

extension Session {
    /// The next event: from memory, then outcomes that persist. `.timeout` when none came in `milliseconds` (negative: no
    /// limit).
    public func nextEvent(milliseconds: Int64) throws(MAMError) -> JSON {
        let wait = interrupts.begin()
        hostIsHere()
        forgetDelivered()
        if !settings.hasWorker { _ = try current() }
        let until = milliseconds < 0 ? Int64.max : platform_time_monotonic() &+ milliseconds
        while true {
            let found: Found = try lock.held { () throws(MAMError) in
                while true {
                    if wait.isOver {
                        throw MAMError(.interrupted, "the wait for an event was interrupted")
                    }
                    if let json = events.next(now: clock.now()) { return .event(json) }
                    if waitingOutcomes > 0 { return .outcome }
                    let left = until &- platform_time_monotonic()
                    if milliseconds >= 0 && left <= 0 { return .nothing }
                    // Without a worker nobody else notices what other processes did: look now and then.
                    let slice = !settings.hasWorker ? min(left, 100) : left
                    let woken = lock.wait(milliseconds: milliseconds < 0 && settings.hasWorker ? -1 : slice)
                    if !settings.hasWorker && !woken { return .pause }
                }
            }
            switch found {
            case .event(let json):
                refreshSignal()
                return json
            case .outcome:
                guard let outcome = try nextOutcome() else { continue }
                refreshSignal()
                return outcome
            case .pause: _ = try current()
            case .nothing:
                refreshSignal()
                throw MAMError(.timeout, "no event came in time")
            }
        }
    }

    /// What a wait for an event can come to.
    private enum Found {
        case event(JSON)
        /// One that is kept in the state waits.
        case outcome
        /// Time to look at what other processes did.
        case pause
        /// The time is over.
        case nothing
    }

    /// The oldest persisted outcome that was not handed out yet, one thread at a time.
    private func nextOutcome() throws(MAMError) -> JSON? {
        let taken = try delivering.held(within: 60_000, unless: interrupts) { () throws(MAMError) -> JSON? in
            let (handedOut, generation) = lock.held { (Set(delivered), snapshots.latest.generation) }
            let (outcome, broken) = try state.read { (view, _) throws(MAMError) in
                try view.outcomes.oldest(except: handedOut)
            }
            // What does not verify can be told to nobody.
            if !broken.isEmpty {
                try state.write { (view) throws(MAMError) in for id in broken { try view.outcomes.remove(id) } }
            }
            lock.held {
                if let outcome {
                    delivered.append(outcome.id)
                    waitingOutcomes = max(0, waitingOutcomes - 1)
                } else if snapshots.latest.generation == generation {
                    waitingOutcomes = 0
                }
            }
            return outcome?.event
        }
        guard let taken else { throw MAMError(.busy, "another thread takes an event for too long; try again") }
        return taken
    }

    /// Outcomes that were handed out before this call count as read.
    func forgetDelivered() {
        let read = lock.held { delivered }
        guard !read.isEmpty else { return }
        do throws(MAMError) {
            try state.write { (view) throws(MAMError) in for id in read { try view.outcomes.remove(id) } }
            lock.held { delivered.removeAll { read.contains($0) } }
        } catch { log.write(.warning, "outcomes that were read could not be removed: \(error.message)") }
    }

    /// A descriptor that is readable when an event waits or, without a worker, work is due.
    public func eventDescriptor() throws(MAMError) -> Int32 {
        let (descriptor, failure): (Int32, Int32) = lock.held {
            if let signal { return (signal.poll, 0) }
            var fresh = platform_signal_t(poll: -1, flag: -1, timer: -1)
            let result = platform_signal_open(&fresh)
            if result == 0 { signal = fresh }
            return (fresh.poll, result)
        }
        guard failure == 0 else { throw .system(failure, "make an event descriptor", path: "libmam") }
        refreshSignal()
        return descriptor
    }

    /// Bring the descriptor up to date.
    func refreshSignal() {
        lock.held {
            guard let signal else { return }
            withUnsafePointer(to: signal) { pointer in
                platform_signal_raise(pointer, !events.isEmpty || waitingOutcomes > 0)
                guard !settings.hasWorker else { return }
                platform_signal_at(pointer, untilDueLocked())
            }
        }
    }

    /// The host can answer from now on: wipes that were resumed at open need not wait for its delegate any longer.
    func hostIsHere() {
        lock.held { operations.releaseAll() }
    }
}
