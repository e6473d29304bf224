import CProcess
import MAMState
import MAMSupport

/// When scheduled work is due.
protocol WorkSchedule: AnyObject {
    /// Milliseconds until a check-in, a retry or a report is due; -1 for never. `lastRun`: when due work was last carried out, in
    /// monotonic time.
    func untilScheduled(since lastRun: Int64) -> Int64
}

/// Events, questions and operations between a host and its session. One monitor guards them, because a thread may wait for any of
/// them.
final class HostQueues: Sendable {
    /// The guarded state.
    struct Contents {
        var events = EventQueue()
        var questions = QuestionQueue()
        var operations: OperationQueue
        var outcomes: OutcomeDelivery
        /// Questions that the worker has to put to the delegate, for the thread of requests.
        var calls: [QuestionCall] = []
        /// The descriptor of `mam_event_fd`, once the host has asked for it.
        var signal: process_wait_descriptor_t?
        /// When due work was last carried out, in monotonic time.
        var lastRun = Int64.min / 2
        var isClosing = false
    }

    let contents: Monitor<Contents>
    let interrupts: InterruptSource
    private let hasWorker: Bool
    /// Set before any descriptor is made. It does not keep the schedule.
    let schedule = SetOnce<@Sendable () -> (any WorkSchedule)?>()

    init(_ interrupts: InterruptSource, waitingOutcomes: Int, hasWorker: Bool, hasService: Bool) {
        contents = Monitor(
            Contents(
                operations: OperationQueue(hasService: hasService), outcomes: OutcomeDelivery(waiting: waitingOutcomes))
        )
        (self.interrupts, self.hasWorker) = (interrupts, hasWorker)
    }

    var isClosing: Bool { contents.withLock { $0.isClosing } }

    /// Events and operations that wait, for diagnostics.
    var counts: (events: Int, operations: Int) { contents.withLock { ($0.events.count, $0.operations.count) } }

    /// Begin a wait that an interrupt ends.
    func beginWait() -> InterruptSource.Wait { interrupts.beginWait() }

    /// Let delayed operations begin: a host that makes a call can answer the questions of wipes that were resumed at open.
    func releaseDelayed() { contents.withLock { $0.operations.releaseAll() } }

    /// End every wait in progress. Operations that wait for a time begin, and find that it has ended.
    func interrupt() {
        contents.change { contents in
            interrupts.interrupt()
            contents.operations.releaseAll()
        }
    }

    /// Begin no further work, and end every wait.
    func close() {
        contents.change { contents in
            contents.isClosing = true
            interrupts.close()
        }
    }

    /// Milliseconds until an operation or scheduled work may begin; -1 for never.
    func untilDue() -> Int64 { contents.withLock { untilDue($0) } }

    private func untilDue(_ contents: Contents) -> Int64 {
        let now = process_clock_monotonic_ms()
        if contents.operations.hasReady(now: now, questions: contents.questions) { return 0 }
        var left = schedule.value?()?.untilScheduled(since: contents.lastRun) ?? -1
        for moment in [contents.operations.nextBegin, contents.questions.nextDeadline(after: now)].compactMap({ $0 }) {
            let until = max(0, moment &- now)
            left = left < 0 ? until : min(left, until)
        }
        return left
    }

    /// A descriptor that is readable when an event waits or, without a worker, work is due.
    func descriptor() throws(MAMError) -> Int32 {
        let (descriptor, failure): (Int32, Int32) = contents.withLock { contents in
            if let signal = contents.signal { return (signal.poll, 0) }
            var fresh = process_wait_descriptor_t(poll: -1, flag: -1, timer: -1)
            let result = process_wait_descriptor_open(&fresh)
            if result == 0 { contents.signal = fresh }
            return (fresh.poll, result)
        }
        guard failure == 0 else { throw .system(failure, "make an event descriptor", path: "libmam") }
        refreshSignal()
        return descriptor
    }

    /// Bring the descriptor up to date.
    func refreshSignal() {
        contents.withLock { contents in
            guard let signal = contents.signal else { return }
            withUnsafePointer(to: signal) { pointer in
                process_wait_descriptor_set(pointer, !contents.events.isEmpty || contents.outcomes.waiting > 0)
                guard !hasWorker else { return }
                process_wait_descriptor_set_timer(pointer, untilDue(contents))
            }
        }
    }

    /// Close the descriptor.
    func closeSignal() {
        contents.withLock { contents in
            if var signal = contents.signal { process_wait_descriptor_close(&signal) }
            contents.signal = nil
        }
    }
}
