import CProcess
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Ends an enrollment that was granted and is not used.
protocol EnrollmentReturning: AnyObject, Sendable {
    /// End a granted but unused enrollment at the authority, now or later.
    func endUnused(_ enrollment: Enrollment)
}

/// Unenrollments without a wipe, and their reports to the authority, which wait until it can be reached.
final class Unenrollments: SessionService, EnrollmentReturning, Unenrolling, Sendable {
    let context: SessionContext

    init(_ context: SessionContext) { self.context = context }

    /// Unenroll without a wipe: the account becomes unmanaged at once and durably; its keys and data stay. Returns the operation
    /// that reports it to the authority.
    func unenroll(_ account: Account) throws(MAMError) -> Int64 {
        let success = status(.unenrollmentSuccess, of: account)
        var registration: String?
        var dropped: [Unenrollment] = []
        try state.commitForAll { (view) throws(MAMError) in
            registration = try view.endAccount(
                .unenrolled(account.row, isEnrolled: account.isEnrolled, closing: account.ownFindings))
            if let registration {
                dropped = try queue(
                    view, Unenrollment(registration: registration, of: account.accountId, account.record.upn, clock))
            }
            try view.outcomes.add(
                events.outcome(.unenrollRequest, of: account.named, success), app: settings.app.id)
        }
        try reload()
        log.write(.info, "account \(account.row.id.hex) unenrolled")
        warnUnreported(dropped, "more than \(PendingUnenrollments.capacity) wait")
        return operations.start(.unenroll(success, registration: registration))
    }

    /// Complete the operation of an unenrollment: report it now, or leave the report for later.
    func carryOut(_ success: EnrollmentStatus, registration: String?) throws(MAMError) -> StepResult {
        guard let registration else { return .done(success) }
        guard let failures = try reportUnenrollments() else { return Unenrollments.afterAnother }
        guard let failure = failures[registration] else { return .done(success) }
        let note = "The authority could not be informed yet (\(failure.code.rawValue) \(failure.code.name))"
        return .done(
            status(
                success.code, accountId: success.accountId, upn: success.upn,
                message: failure.message.isEmpty ? note : "\(note): \(failure.message)"))
    }

    /// Report the unenrollments that are due.
    func carryOutReports() throws(MAMError) -> StepResult {
        try reportUnenrollments() == nil ? Unenrollments.afterAnother : .done(status(.unenrollmentSuccess))
    }

    /// End a granted but unused enrollment at the authority, now or later.
    func endUnused(_ enrollment: Enrollment) {
        let unused = Unenrollment(
            registration: enrollment.registration, of: enrollment.accountId, enrollment.upn, clock)
        do throws(MAMError) {
            // A service gets it with the reports, so that nothing waits for it twice.
            if !settings.authority.isService, case .success = try report(unused, hostFacts(snapshots.latest)) { return }
            let dropped = try state.commitForAll { (view) throws(MAMError) in try queue(view, unused) }
            try reload()
            warnUnreported(dropped, "more than \(PendingUnenrollments.capacity) wait")
        } catch { log.write(.warning, "an enrollment that is not used stays at the authority: \(error.message)") }
    }

    private static var afterAnother: StepResult { .again(at: process_clock_monotonic_ms() &+ 50) }

    /// Queue an unenrollment for reporting; returns those dropped to make room. It is due in a minute, after the operation that
    /// began it.
    private func queue(_ view: StateView, _ unenrollment: Unenrollment) throws(MAMError) -> [Unenrollment] {
        let soon = clock.now() + .minutes(1)
        return try view.unenrollments.change { waiting in
            waiting.next = min(waiting.next ?? soon, soon)
            return waiting.add(unenrollment)
        }
    }

    /// Report one unenrollment. An enrollment that the authority no longer has counts as reported.
    private func report(_ one: Unenrollment, _ host: HostFacts) throws(MAMError) -> Result<Void, AuthorityFailure> {
        let reply = try requestFromAuthority { () throws(AuthorityFailure) in
            try authority.unenroll(one.accountId, registration: one.registration, app: appFacts, host: host)
        }
        if case .failure(let failure) = reply, failure.code == .policyRecordGone { return .success(()) }
        return reply
    }

    /// Report every queued unenrollment. Returns the failures by registration; nil while another session of the group reports.
    private func reportUnenrollments() throws(MAMError) -> [String: AuthorityFailure]? {
        guard let lease = try state.lease(.unenrollment) else { return nil }
        defer { lease.end() }
        let waiting = try state.read { (view, _) throws(MAMError) in try view.unenrollments.load() }
        guard !waiting.all.isEmpty else { return [:] }
        let host = hostFacts(try current())
        var reported: Set<String> = []
        var failures: [String: AuthorityFailure] = [:]
        var unreachable: AuthorityFailure?
        for one in waiting.all {
            if unreachable == nil {
                switch try report(one, host) {
                case .success:
                    reported.insert(one.registration)
                    continue
                case .failure(let failure):
                    failures[one.registration] = failure
                    if CheckInIntervals.isNetworkFailure(failure.code) { unreachable = failure }
                }
            }
            // Do not ask an unreachable authority again: one that is locked costs five seconds each time.
            if let unreachable { failures[one.registration] = unreachable }
        }
        try storeResults(reported, failures)
        return failures
    }

    /// Store the results of reporting. Reports that failed for 90 days are dropped: the authority forgets silent enrollments.
    private func storeResults(_ reported: Set<String>, _ failures: [String: AuthorityFailure]) throws(MAMError) {
        let now = clock.now()
        let fraction = randomFraction()
        let dropped = try state.commitForAll { (view) throws(MAMError) in
            try view.unenrollments.change { waiting in
                _ = waiting.remove { reported.contains($0.registration) }
                let dropped = waiting.remove {
                    failures[$0.registration] != nil && $0.ended + Unenrollments.reportingPeriod < now
                }
                guard !failures.isEmpty, !waiting.all.isEmpty else { return dropped }
                waiting.failures = min(waiting.failures, 1000) + 1
                let next = CheckInIntervals.afterNetworkFailure(Int(waiting.failures), at: now, jitter: fraction)
                let wait = failures.values.compactMap(\.retryAfter).max()
                waiting.next = CheckInIntervals.next(next, notBefore: wait, at: now, jitter: fraction)
                return dropped
            }
        }
        try reload()
        if !failures.isEmpty {
            log.write(.warning, "\(failures.count) unenrollments could not be reported to the authority yet")
        }
        warnUnreported(dropped, "it could not be informed for 90 days")
    }

    private static let reportingPeriod = TimeSpan.days(90)

    private func warnUnreported(_ dropped: [Unenrollment], _ why: String) {
        for one in dropped {
            events.warn(
                "libmam no longer reports to the authority that an account was unenrolled: \(why); the authority deletes the enrollment after 90 days without contact",
                [("accountId", .string(one.accountId)), ("upn", .optional(one.upn))])
        }
    }
}

extension Unenrollment {
    fileprivate init(registration: String, of accountId: String, _ upn: String?, _ clock: Clock) {
        self.init(registration: registration, accountId: accountId, upn: upn, ended: clock.now())
    }
}
