import CPlatform
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// `mam_run_due`: with a worker, wake it; without, do what is due now.
    public func runDueNow() throws(MAMError) {
        hostIsHere()
        guard !settings.hasWorker else { return ringWorker() }
        let wait = interrupts.begin()
        runDue()
        refreshSignal()
        guard !wait.isOver else { throw .interrupted }
    }

    /// Everything that is due: changes of other processes, operations, check-ins, retries, reports.
    func runDue() {
        do throws(MAMError) {
            let snapshot = try current()
            if settings.hasWorker || !lock.held({ operations.isRunning }) { try queueDue(snapshot) }
        } catch { log.write(.error, "the state cannot be read: \(error.message)") }
        while runOne() {}
        lock.held { lastRun = platform_time_monotonic() }
    }

    /// Milliseconds until something is due; -1 for never.
    func untilDue() -> Int64 { lock.held { untilDueLocked() } }

    /// The same, with the lock held.
    func untilDueLocked() -> Int64 {
        let now = platform_time_monotonic()
        if operations.hasReady(now: now, questions: questions) { return 0 }
        var left = untilScheduled()
        for moment in [operations.nextBegin, questions.nextDeadline(after: now)].compactMap({ $0 }) {
            let until = max(0, moment &- now)
            left = left < 0 ? until : min(left, until)
        }
        return left
    }

    /// `mam_wait`; `.timeout` when it did not end in time.
    public func wait(for id: Int64, milliseconds: Int64) throws(MAMError) -> OperationResult {
        hostIsHere()
        if settings.hasWorker { ringWorker() }
        let until = milliseconds < 0 ? Int64.max : platform_time_monotonic() &+ milliseconds
        let wait = interrupts.begin()
        while true {
            if !settings.hasWorker { while runOne() {} }
            let result: OperationResult? = try lock.held { () throws(MAMError) in
                while true {
                    if let result = try operations.result(id) { return result }
                    if wait.isOver {
                        throw MAMError(.interrupted, "the wait for operation \(id) was interrupted")
                    }
                    let left = until &- platform_time_monotonic()
                    if left <= 0 { throw MAMError(.timeout, "operation \(id) has not ended yet") }
                    if !settings.hasWorker, operations.hasReady(now: platform_time_monotonic(), questions: questions) {
                        return nil
                    }
                    // Without a worker, this call does the work: look again when the next piece of it may begin.
                    _ = lock.wait(milliseconds: !settings.hasWorker ? min(left, 20) : milliseconds < 0 ? -1 : left)
                    if !settings.hasWorker { return nil }
                }
            }
            if let result {
                refreshSignal()
                return result
            }
        }
    }

    func ringWorker() {
        guard settings.hasWorker else { return refreshSignal() }
        platform_bell_ring(state.words)
    }

    /// Carry out the next operation; false when none may begin now.
    private func runOne() -> Bool {
        let operation: OperationBoard.Operation? = lock.held {
            isClosing ? nil : operations.begin(now: platform_time_monotonic(), questions: questions)
        }
        guard var operation else { return false }
        let asked = operation.question
        operation.question = nil
        var result: OperationResult?
        do throws(MAMError) {
            switch try carryOut(operation.work) {
            case .ended(let ended): result = ended
            case .later(let question): operation.question = question
            case .again(let moment): operation.notBefore = moment
            case .next(let work): operation.work = work
            case .abandoned: break
            }
        } catch {
            guard error.code != .interrupted else {
                // It goes on from where it is when it is its turn again.
                operation.question = asked
                lock.held { operations.end(operation, result: nil) }
                return false
            }
            log.write(.error, "an operation failed: \(error.message)")
            result = failed(operation.work, error)
        }
        lock.held {
            operations.end(operation, result: result)
            // Answered or not: another time it is asked anew.
            if let asked, !operations.isWaiting(for: asked) { questions.close(asked) }
        }
        return true
    }

    /// The result of work that failed; a launch is then blocked.
    private func failed(_ work: OperationBoard.Work, _ error: MAMError) -> OperationResult {
        switch work {
        case .switchIdentity(let request):
            return ended(request, .failed, error.message, snapshots.latest)
        case .launch: return .launch(launchFailed(error.message))
        case .pin(let conversation): return .pin(failed(conversation, error))
        case .signIn(let attempt) where attempt.isLaunch: return .launch(launchFailed(error.message))
        default:
            // Wiped or unenrolled by another process meanwhile: there is nothing to try again.
            let code: StatusCode = error.code == .notRegistered ? .appNotEnrolled : .internalError
            return .enrollment(status(code, message: error.message))
        }
    }

    private func carryOut(_ work: OperationBoard.Work) throws(MAMError) -> Outcome {
        switch work {
        case .enroll(let id): return try enroll(id)
        case .retry(let id): return try retry(id)
        case .checkIn(let ids): return try checkIn(ids)
        case .unenroll(let success, let registration): return try carryOut(success, registration: registration)
        case .reportUnenrollments: return try carryOutReports()
        case .wipe(let entry): return try carryOut(entry)
        case .signIn(let attempt): return try carryOut(attempt)
        case .launch(let step): return try carryOut(step)
        case .switchIdentity(let request): return try carryOut(request)
        case .hide(let request): return try carryOut(request)
        case .pin(let conversation): return try carryOut(conversation)
        case .tell(let status):
            let isOfCheckIn = status.code == .appNotEnrolled || status.code == .notEnrolledAccount
            emit(isOfCheckIn ? "policyRequest" : "enrollmentRequest", status)
            return .done(status)
        }
    }

    /// Queue check-ins, retries of enrollment and reports whose time has come.
    private func queueDue(_ snapshot: Snapshot) throws(MAMError) {
        if hasHinderedWipes(snapshot) { resumeWipes(notBefore: 0) }
        // The rest is the containing app's.
        guard !settings.isExtension else { return }
        let now = clock.now()
        func isDue(_ account: Account) -> Bool {
            next(of: account, in: snapshot).map { Session.isDue($0, now) } ?? false
        }
        // Another session may have done it meanwhile.
        let latest = snapshot.accounts.contains(where: isDue) ? try currentRecords().accounts : []
        for account in latest where isDue(account) {
            let id = account.row.id
            let work: OperationBoard.Work =
                switch account.state {
                case .enrolled: .checkIn([id])
                default: .retry(id)
                }
            lock.held { operations.addUnlessQueued(work, subject: account.row.id.bytes) }
        }
        if let next = snapshot.unenrollments.next, Session.isDue(next, now) {
            lock.held {
                operations.addUnlessQueued(.reportUnenrollments, subject: OperationBoard.Work.unenrollments)
            }
        }
        for entry in snapshot.wipes where entry.isDue(now) {
            lock.held { operations.addUnlessQueued(.wipe(entry), subject: entry.id) }
        }
    }

    /// Milliseconds until a check-in, retry or report is due; -1 for never. What stays due although it was tried, because the
    /// state cannot be written, is tried once a second. With the lock held.
    func untilScheduled() -> Int64 {
        guard let due = nextDue(snapshots.latest) else { return -1 }
        let now = clock.now()
        let left = Session.isDue(due, now) ? 0 : (due - now).milliseconds
        return max(0, left, lastRun &+ 1000 &- platform_time_monotonic())
    }

    /// Nothing is planned more than a day ahead: what is, was planned before the clock was set back, and is due.
    static func isDue(_ planned: Instant, _ now: Instant) -> Bool {
        planned <= now || planned > now + .hours(25)
    }

    private func nextDue(_ snapshot: Snapshot) -> Instant? {
        if !state.announcements.isEmpty { return Instant(milliseconds: 0) }
        guard !settings.isExtension else { return nil }
        let wipes = snapshot.wipes.compactMap { $0.step < .removed ? Instant(milliseconds: 0) : $0.nextReport }
        let accounts = snapshot.accounts.compactMap { next(of: $0, in: snapshot) }
        return (accounts + wipes + [snapshot.unenrollments.next].compactMap(\.self)).min()
    }
}
