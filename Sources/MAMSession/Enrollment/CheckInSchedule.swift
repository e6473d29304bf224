import CProcess
import MAMPolicy
import MAMState
import MAMSupport

/// When accounts check in, retry or report next, which depends on whether the host is in use.
final class CheckInSchedule: WorkSchedule, Sendable {
    private let snapshots: Snapshots
    private let settings: OpenSettings
    private let state: State
    private let clock: Clock
    private let operations: Operations
    /// When the host was last in use.
    let use: HostUse

    init(_ snapshots: Snapshots, _ settings: OpenSettings, _ state: State, _ clock: Clock, _ operations: Operations) {
        (self.snapshots, self.settings, self.state) = (snapshots, settings, state)
        (self.clock, self.operations) = (clock, operations)
        use = HostUse(clock, operations)
    }

    /// Record how a request of an account ended, with the message of a failure, and plan the next one. It is not before `wait` has
    /// passed; `other` replaces `code` in the plan alone.
    func plan(
        _ record: inout AccountRecord, after code: StatusCode, _ failure: String? = nil, isEnrolled: Bool,
        hasOnlyConfiguration: Bool = false, notBefore wait: TimeSpan? = nil, as other: StatusCode? = nil
    ) {
        var ending = CheckInPlan.Ending(code, isEnrolled: isEnrolled)
        (ending.other, ending.wait, ending.hasOnlyConfiguration) = (other, wait, hasOnlyConfiguration)
        ending.interval = isEnrolled ? record.interval : nil
        var plan = CheckInPlan(
            failures: Int(clamping: record.failures),
            lastCode: record.lastCode.map { StatusCode(rawValue: Int32(truncatingIfNeeded: $0)) })
        let now = clock.now()
        plan.update(
            after: ending, at: now, isInUse: use.isInUse, isSpread: settings.authority.isService,
            jitter: randomFraction())
        record.failures = Int64(plan.failures)
        record.lastAttempt = now
        record.lastCode = Int64(code.rawValue)
        record.lastMessage = failure
        record.nextCheckIn = plan.next
        record.nextInUse = plan.nextInUse
    }

    /// When an account checks in or retries next; nil for never.
    func nextCheckIn(of account: Account, in snapshot: Snapshot) -> Instant? {
        if account.isTest || settings.isExtension || account.state == .unenrolled { return nil }
        // With a single managed account, the others are not retried until it has left.
        if account.state == .registered, !snapshot.settings.bool(SettingKey.multiManagedIdentities),
            snapshot.accounts.contains(where: \.isEnrolled)
        {
            return nil
        }
        return use.isInUse ? account.record.nextInUse ?? account.record.nextCheckIn : account.record.nextCheckIn
    }

    /// An account as JSON for the host's lists.
    func json(of account: Account, in snapshot: Snapshot) -> JSON {
        account.json(next: nextCheckIn(of: account, in: snapshot))
    }

    /// Start check-ins, retries, reports and wipes that are due.
    func startDue(_ snapshot: Snapshot) throws(MAMError) {
        // The containing app does this for its extensions.
        guard !settings.isExtension else { return }
        let now = clock.now()
        func isDue(_ account: Account) -> Bool {
            nextCheckIn(of: account, in: snapshot).map { CheckInSchedule.isDue($0, now) } ?? false
        }
        // Wipes and reports first, so that an authority hears of them before it removes a silent enrollment at the check-in. (A wipe
        // queues its report to a service when it ends; that report is carried out before check-ins that wait.)
        for entry in snapshot.wipes where CheckInSchedule.isDue(entry, now) {
            operations.startUnlessQueued(.wipe(entry), subject: entry.id)
        }
        if let next = snapshot.unenrollments.next, CheckInSchedule.isDue(next, now) {
            operations.startUnlessQueued(.reportUnenrollments, subject: OperationQueue.Work.unenrollments)
        }
        if let next = snapshot.nextRevocation, CheckInSchedule.isDue(next, now) {
            operations.startUnlessQueued(.revoke(nil), subject: OperationQueue.Work.revocations)
        }
        // Another session may have done this work since the snapshot was loaded.
        let latest = snapshot.accounts.contains(where: isDue) ? try snapshots.currentRecords().accounts : []
        for account in latest where isDue(account) {
            let id = account.row.id
            operations.startUnlessQueued(account.state == .enrolled ? .checkIn([id]) : .retry(id), subject: id.bytes)
        }
    }

    /// Milliseconds until work is due; negative for none. Work that cannot be recorded, because the state cannot be written, stays due
    /// and is tried once a second.
    func untilScheduled(since lastRun: Int64) -> Int64 {
        guard let due = nextDue(snapshots.latest) else { return -1 }
        let now = clock.now()
        let left = CheckInSchedule.isDue(due, now) ? 0 : (due - now).milliseconds
        return max(0, left, lastRun &+ 1000 &- process_clock_monotonic_ms())
    }

    /// Whether a planned time has come. Nothing is planned more than a day ahead; a later time was planned before the clock was set
    /// back, and is due.
    static func isDue(_ planned: Instant, _ now: Instant) -> Bool {
        planned <= now || planned > now + .hours(25)
    }

    /// Whether a step of a wipe in the journal is due; a report only at its time.
    private static func isDue(_ entry: WipeEntry, _ now: Instant) -> Bool {
        guard !entry.id.isEmpty, entry.step == .removed else { return !entry.id.isEmpty }
        return entry.nextReport.map { isDue($0, now) } ?? false
    }

    private func nextDue(_ snapshot: Snapshot) -> Instant? {
        if !state.accountsClosedForWipe.isEmpty { return Instant(milliseconds: 0) }
        guard !settings.isExtension else { return nil }
        let wipes = snapshot.wipes.compactMap { $0.step < .removed ? Instant(milliseconds: 0) : $0.nextReport }
        let accounts = snapshot.accounts.compactMap { nextCheckIn(of: $0, in: snapshot) }
        return (accounts + wipes + [snapshot.unenrollments.next, snapshot.nextRevocation].compactMap(\.self)).min()
    }
}

/// A random number in 0..<1, the jitter of retries.
func randomFraction() -> Double { ((try? randomBytes(4)) ?? []).reduce(0) { ($0 + Double($1)) / 256 } }
