import CProcess
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Ends enrollments at the authority.
protocol EnrollmentReturning: AnyObject, Sendable {
    /// End a granted but unused enrollment at the authority, now or later.
    func endUnused(_ enrollment: Enrollment)
    /// Report the account's former enrollment before it is enrolled again, which could hide a wipe that waits for it. Returns the
    /// result of the enrollment where the account is wiped instead; nil where it goes on.
    func reportFormer(_ candidate: Candidate) throws(MAMError) -> StepResult?
}

/// Unenrollments without a wipe, and their reports to the authority, which wait until it can be reached.
final class Unenrollments: SessionService, EnrollmentReturning, Unenrolling, Sendable {
    let context: SessionContext
    let wipes: any AccountWiping

    init(_ context: SessionContext, _ wipes: any AccountWiping) { (self.context, self.wipes) = (context, wipes) }

    /// The result of a report.
    enum Report {
        case received
        /// The authority had ordered a wipe, which has begun.
        case wiping
        /// It stays queued.
        case failed(AuthorityFailure)
    }

    /// Unenroll without a wipe: the account becomes unmanaged at once and durably; its keys and data stay. Returns the operation
    /// that reports it to the authority.
    func unenroll(_ account: Account) throws(MAMError) -> Int64 {
        let success = status(.unenrollmentSuccess, of: account)
        var registration: String?
        var dropped: [Unenrollment] = []
        try state.commitForAll { (view) throws(MAMError) in
            try view.giveUpTokens(of: account.row, at: clock.now())
            registration = try view.endAccount(
                .unenrolled(account.row, isEnrolled: account.isEnrolled, closing: account.ownFindings),
                at: clock.now())
            if let registration {
                dropped = try queue(
                    view,
                    Unenrollment(
                        registration: registration, accountId: account.accountId, upn: account.record.upn,
                        account: account.row.id, wipeMark: account.record.wipeMark, ended: clock.now()))
            }
            try view.outcomes.add(
                events.outcome(.unenrollRequest, of: account.named, success), app: settings.app.id)
        }
        let snapshot = try reload()
        log.write(.info, "account \(account.row.id.hex) unenrolled")
        warnUnreported(dropped, "more than \(PendingUnenrollments.capacity) wait")
        // The report comes first.
        defer { if snapshot.nextRevocation != nil { revokeSoon() } }
        return operations.start(.finishUnenrollment(success, registration: registration))
    }

    /// Complete the operation of an unenrollment: report it now, or leave the report for later.
    func carryOut(_ success: EnrollmentStatus, registration: String?) throws(MAMError) -> StepResult {
        guard let registration else { return .done(success) }
        guard let reports = try reportUnenrollments() else { return Unenrollments.afterAnother }
        let message: String
        switch reports[registration] {
        case nil, .received: return .done(success)
        case .wiping: message = Unenrollments.wipedMessage
        case .failed(let failure):
            let note = "The authority could not be informed yet (\(failure.code.rawValue) \(failure.code.name))"
            message = failure.message.isEmpty ? note : "\(note): \(failure.message)"
        }
        return .done(status(success.code, accountId: success.accountId, upn: success.upn, message: message))
    }

    private static let wipedMessage =
        "The organisation had ordered a wipe before the account was unenrolled, so its data is wiped as well"

    /// Report the unenrollments that are due.
    func carryOutReports() throws(MAMError) -> StepResult {
        try reportUnenrollments() == nil ? Unenrollments.afterAnother : .done(status(.unenrollmentSuccess))
    }

    /// Report the account's former enrollment before it is enrolled again.
    func reportFormer(_ candidate: Candidate) throws(MAMError) -> StepResult? {
        let name = candidate.name.folded
        let former = snapshots.latest.unenrollments.all.filter { one in
            [one.accountId, one.upn].compactMap(\.self).contains { name.contains(Identity.fold($0)) }
        }
        guard !former.isEmpty else { return nil }
        guard let reports = try reportUnenrollments() else { return Unenrollments.afterAnother }
        for one in former {
            let result: EnrollmentStatus
            switch reports[one.registration] {
            case .wiping: result = status(.wipeReceived, accountId: one.accountId, upn: one.upn)
            case .failed(let failure) where failure.code == .failedToClearMamData:
                result = status(failure.code, accountId: one.accountId, upn: one.upn, message: failure.message)
            default: continue
            }
            events.emit(.policyRequest, result)
            return .done(result)
        }
        return nil
    }

    /// End a granted but unused enrollment at the authority, now or later.
    func endUnused(_ enrollment: Enrollment) {
        let unused = Unenrollment(
            registration: enrollment.registration, accountId: enrollment.accountId, upn: enrollment.upn, account: nil,
            wipeMark: enrollment.wipeMark, ended: clock.now())
        do throws(MAMError) {
            // A service gets it with the reports, so that nothing waits for it twice.
            if !settings.authority.isService {
                guard case .failed = try report(unused, hostFacts(snapshots.latest)) else { return }
            }
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
    private func report(_ one: Unenrollment, _ host: HostFacts) throws(MAMError) -> Report {
        let reply = try requestFromAuthority { () throws(AuthorityFailure) in
            try authority.unenroll(
                one.accountId, registration: one.registration, wipeMark: one.wipeMark, app: appFacts, host: host)
        }
        switch reply {
        case .failure(let failure) where failure.code == .policyRecordGone: return .received
        case .failure(let failure): return .failed(failure)
        case .success(nil): return .received
        case .success(let wipe?): return try carryOut(wipe, of: one, host)
        }
    }

    /// Report every queued unenrollment. Returns the results by registration; nil while another session of the group reports.
    private func reportUnenrollments() throws(MAMError) -> [String: Report]? {
        guard let lease = try state.lease(.unenrollment) else { return nil }
        defer { lease.end() }
        let waiting = try state.read { (view, _) throws(MAMError) in try view.unenrollments.load() }
        guard !waiting.all.isEmpty else { return [:] }
        let host = hostFacts(try current())
        var reports: [String: Report] = [:]
        var unreachable: AuthorityFailure?
        for one in waiting.all {
            // Do not ask an unreachable authority again: one that is locked costs five seconds each time.
            if let unreachable {
                reports[one.registration] = .failed(unreachable)
                continue
            }
            let result = try report(one, host)
            reports[one.registration] = result
            if case .failed(let failure) = result, CheckInIntervals.isNetworkFailure(failure.code) {
                unreachable = failure
            }
        }
        try storeResults(reports)
        return reports
    }

    /// Store the results of reporting. Reports that failed for 90 days are dropped: the authority forgets silent enrollments.
    private func storeResults(_ reports: [String: Report]) throws(MAMError) {
        let failures = reports.compactMapValues { if case .failed(let failure) = $0 { failure } else { nil } }
        let now = clock.now()
        let fraction = randomFraction()
        let dropped = try state.commitForAll { (view) throws(MAMError) in
            try view.unenrollments.change { waiting in
                _ = waiting.remove { reports[$0.registration] != nil && failures[$0.registration] == nil }
                let dropped = waiting.remove {
                    failures[$0.registration] != nil && $0.ended + Unenrollments.reportingPeriod < now
                }
                guard !failures.isEmpty, !waiting.all.isEmpty else { return dropped }
                waiting.failures = min(waiting.failures, 1000) + 1
                let next = CheckInIntervals.afterNetworkFailure(Int(waiting.failures), at: now, jitter: fraction)
                let wait = failures.values.compactMap(\.retryAfter).max()
                waiting.next = CheckInIntervals.time(next, notBefore: wait, at: now, jitter: fraction)
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
