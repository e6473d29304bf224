import CProcess
import MAMState
import MAMSupport

/// Delivery of events, and of outcomes that persist until the host has taken them.
extension Events {
    /// The next event: from memory, then a persisted outcome. `.timeout` if none comes within `milliseconds` (negative: no limit).
    public func next(milliseconds: Int64) throws(MAMError) -> JSON {
        let wait = queues.beginWait()
        queues.releaseDelayed()
        removeRead()
        if !settings.hasWorker { _ = try snapshots.current() }
        let until = milliseconds < 0 ? Int64.max : process_clock_monotonic_ms() &+ milliseconds
        while true {
            switch try awaitEvent(until: until, wait) {
            case .event(let json):
                queues.refreshSignal()
                return json
            case .outcome:
                guard let outcome = try nextOutcome() else { continue }
                queues.refreshSignal()
                return outcome
            case .pause: _ = try snapshots.current()
            case .nothing:
                queues.refreshSignal()
                throw MAMError(.timeout, "no event came in time")
            }
        }
    }

    /// The result of a wait for an event.
    private enum WaitResult {
        case event(JSON)
        /// A persisted outcome is ready.
        case outcome
        /// Time to look for changes of other processes.
        case pause
        /// The time limit has passed.
        case nothing
    }

    private func awaitEvent(until: Int64, _ wait: InterruptSource.Wait) throws(MAMError) -> WaitResult {
        // Without a worker, no other thread notices what other processes did.
        let pause = settings.hasWorker ? Int64.max : process_clock_monotonic_ms() &+ 100
        return try queues.contents.wait { (contents) throws(MAMError) in
            guard !wait.isInterrupted else { throw MAMError(.interrupted, "the wait for an event was interrupted") }
            if let json = contents.events.next(now: clock.now(), in: settings.language) { return .done(.event(json)) }
            if contents.outcomes.waiting > 0 { return .done(.outcome) }
            let now = process_clock_monotonic_ms()
            if until <= now { return .done(.nothing) }
            if pause <= now { return .done(.pause) }
            let end = min(until, pause)
            return .wait(milliseconds: end == .max ? -1 : end &- now)
        }
    }

    /// The oldest persisted outcome that was not handed out yet, one thread at a time.
    private func nextOutcome() throws(MAMError) -> JSON? {
        let taken = try delivering.withLock(within: 60_000, unless: queues.interrupts) { () throws(MAMError) -> JSON? in
            let (handedOut, generationWord) = queues.contents.withLock { contents in
                (Set(contents.outcomes.handedOut), snapshots.latest.generationWord)
            }
            let (outcome, broken) = try state.read { (view, _) throws(MAMError) in
                try view.outcomes.oldest(except: handedOut)
            }
            // An outcome that does not verify cannot be reported: remove it.
            if !broken.isEmpty {
                try state.write { (view) throws(MAMError) in for id in broken { try view.outcomes.remove(id) } }
            }
            queues.contents.withLock { contents in
                if let outcome {
                    contents.outcomes.markDelivered(outcome.id)
                } else if snapshots.latest.generationWord == generationWord {
                    contents.outcomes.markAllDelivered()
                }
            }
            return outcome?.event
        }
        guard let taken else { throw MAMError(.busy, "another thread takes an event for too long; try again") }
        return taken
    }

    /// Remove the outcomes that were handed out before this call: the host has read them.
    func removeRead() {
        let read = queues.contents.withLock { $0.outcomes.handedOut }
        guard !read.isEmpty else { return }
        do throws(MAMError) {
            try state.write { (view) throws(MAMError) in for id in read { try view.outcomes.remove(id) } }
            queues.contents.withLock { $0.outcomes.removeAcknowledged(read) }
        } catch { log.write(.warning, "outcomes that were read could not be removed: \(error.message)") }
    }
}
