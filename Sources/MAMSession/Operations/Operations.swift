import CProcess
import MAMPolicy
import MAMState
import MAMSupport

/// Carries out the work of operations.
protocol OperationRunning: AnyObject {
    /// Carry out one step of an operation.
    func carryOut(_ work: OperationQueue.Work) throws(MAMError) -> StepResult
    /// The result of an operation whose step failed.
    func failed(_ work: OperationQueue.Work, _ error: MAMError) -> OperationResult
    /// A step of an operation has ended, after so many milliseconds of the operation's work.
    func didStep(_ work: OperationQueue.Work, _ step: StepResult, after milliseconds: Int64)
    /// Start check-ins, retries, reports and wipes that are due.
    func startDue() throws(MAMError)
    /// Put the questions to the delegate that the thread of requests has.
    func callDelegate()
}

/// The operations of a session: started by the host or by a schedule, carried out one at a time, by the worker or by the host's calls
/// of `mam_run_due` and `mam_wait`.
public final class Operations: Sendable {
    let queues: HostQueues
    private let settings: OpenSettings
    let state: State
    let log: Log
    private let telemetry: Telemetry
    /// Set before any operation is started. It does not keep the session.
    let runner = SetOnce<@Sendable () -> (any OperationRunning)?>()
    /// The thread of requests; it may have ended.
    let requestThread = Locked<BackgroundThread?>(nil)

    init(_ queues: HostQueues, _ settings: OpenSettings, _ state: State, _ log: Log, _ telemetry: Telemetry) {
        (self.queues, self.settings, self.state, self.log) = (queues, settings, state, log)
        self.telemetry = telemetry
    }

    /// Queue an operation; returns its id.
    func start(_ work: OperationQueue.Work) -> Int64 {
        let isRecorded = telemetry.isRecorded
        let id = queues.contents.withLock { $0.operations.add(work, isRecorded: isRecorded) }
        wakeWorker()
        return id
    }

    /// Queue work that came due, unless work on the same subject waits already.
    func startUnlessQueued(_ work: OperationQueue.Work, subject: [UInt8], notBefore: Int64 = 0) {
        queues.contents.withLock { $0.operations.addUnlessQueued(work, subject: subject, notBefore: notBefore) }
    }

    /// Fail if the queue is full. Unenrollments and wipes are exempt.
    func checkRoom() throws(MAMError) {
        let count = queues.counts.operations
        guard count < OperationQueue.capacity else {
            throw MAMError(.noSpace, "\(count) operations have not ended yet; wait for some to end")
        }
    }

    /// Whether a later switch of the window waits.
    func hasLaterSwitch(of window: Window) -> Bool {
        queues.contents.withLock { $0.operations.hasLaterSwitch(of: window) }
    }

    /// Wake the worker; without one, refresh the event descriptor.
    func wakeWorker() {
        guard settings.hasWorker else { return queues.refreshSignal() }
        shared_wakeup_signal(state.words)
    }

    /// `mam_run_due`: with a worker, wake it; without, do what is due now.
    public func runDueNow() throws(MAMError) {
        queues.releaseDelayed()
        guard !settings.hasWorker else { return wakeWorker() }
        let wait = queues.beginWait()
        runDue(unless: wait)
        queues.refreshSignal()
        guard !wait.isInterrupted else { throw .interrupted }
    }

    /// Do everything that is due: follow changes of other processes, carry out operations, check-ins, retries and reports. Steps that ask
    /// a service come last, and with a worker on a thread of its own.
    func runDue(unless wait: InterruptSource.Wait? = nil) {
        do throws(MAMError) {
            // Without a worker, a call from inside an operation must not queue the work that is being carried out.
            if settings.hasWorker || !queues.contents.withLock({ $0.operations.isRunning }) {
                try runner.value?()?.startDue()
            }
        } catch { log.write(.error, "the state cannot be read: \(error.message)") }
        runner.value?()?.callDelegate()
        while runOne(.local) {}
        if settings.hasWorker {
            startRequests()
        } else {
            while wait?.isInterrupted != true, runOne(.requests) { while runOne(.local) {} }
        }
        queues.contents.withLock { $0.lastRun = process_clock_monotonic_ms() }
    }

    /// `mam_wait`; `.timeout` if the operation does not end in time.
    public func wait(for id: Int64, milliseconds: Int64) throws(MAMError) -> OperationResult {
        queues.releaseDelayed()
        if settings.hasWorker { wakeWorker() }
        let until = milliseconds < 0 ? Int64.max : process_clock_monotonic_ms() &+ milliseconds
        let wait = queues.beginWait()
        while true {
            if !settings.hasWorker {
                while runOne(.local) {}
                // A request may take as long as the network does: it begins only if the operation has not ended.
                let hasEnded = try queues.contents.withLock { (contents) throws(MAMError) in
                    try contents.operations.result(id) != nil
                }
                if !hasEnded, !wait.isInterrupted, runOne(.requests) { continue }
            }
            if let result = try result(of: id, by: until, wait) {
                queues.refreshSignal()
                return result
            }
        }
    }

    /// Wait for the result; nil if the calling thread has to carry out work first.
    private func result(
        of id: Int64, by until: Int64, _ wait: InterruptSource.Wait
    ) throws(MAMError) -> OperationResult? {
        var hasWaited = false
        return try queues.contents.wait { (contents) throws(MAMError) in
            if let result = try contents.operations.result(id) { return .done(result) }
            guard !wait.isInterrupted else {
                throw MAMError(.interrupted, "the wait for operation \(id) was interrupted")
            }
            let now = process_clock_monotonic_ms()
            guard until > now else { throw MAMError(.timeout, "operation \(id) has not ended yet") }
            guard !settings.hasWorker else { return .wait(milliseconds: until == .max ? -1 : until &- now) }
            // Work that waits for a question or a time may become ready: check again soon.
            if hasWaited || contents.operations.hasReady(now: now, questions: contents.questions) { return .done(nil) }
            hasWaited = true
            return .wait(milliseconds: min(until &- now, 20))
        }
    }

    /// Carry out the next step of a lane; false when none may begin now.
    func runOne(_ lane: OperationQueue.Lane) -> Bool {
        let next = queues.contents.withLock { contents -> OperationQueue.Operation? in
            contents.isClosing
                ? nil
                : contents.operations.begin(lane, now: process_clock_monotonic_ms(), questions: contents.questions)
        }
        guard var operation = next, let runner = runner.value?() else { return false }
        let (asked, polled) = (operation.question, operation.isPolling)
        (operation.question, operation.isPolling) = (nil, false)
        let step: StepResult
        let begun = process_clock_monotonic_ms()
        do throws(MAMError) {
            step = try telemetry.carryOut(isRecorded: operation.isRecorded) { () throws(MAMError) in
                try runner.carryOut(operation.work)
            }
        } catch {
            guard error.code != .interrupted else {
                // The operation resumes here at its next turn.
                (operation.question, operation.isPolling) = (asked, polled)
                queues.contents.change { $0.operations.end(operation, result: nil) }
                return false
            }
            log.write(.error, "an operation failed: \(error.message)")
            step = .ended(runner.failed(operation.work, error))
        }
        operation.worked &+= process_clock_monotonic_ms() &- begun
        if operation.isRecorded { runner.didStep(operation.work, step, after: operation.worked) }
        var result: OperationResult?
        switch step {
        case .ended(let ended): result = ended
        case .later(let question): operation.question = question
        case .poll(let question, let moment):
            (operation.question, operation.isPolling, operation.notBefore) = (question, true, moment)
        case .again(let moment): operation.notBefore = moment
        case .next(let work): operation.work = work
        case .abandoned: break
        }
        queues.contents.change { contents in
            contents.operations.end(operation, result: result)
            // A question that no other operation waits for is done, answered or not.
            if let asked, !contents.operations.isWaiting(for: asked) { contents.questions.close(asked) }
        }
        return true
    }
}
