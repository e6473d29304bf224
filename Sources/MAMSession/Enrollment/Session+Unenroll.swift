import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// Unenroll without a wipe: the account becomes unmanaged at once and durably, its keys and data stay. The result is the
    /// operation that reports it to the authority.
    func unenroll(_ account: Account) throws(MAMError) -> Int64 {
        let success = status(.unenrollmentSuccess, of: account)
        var registration: String?
        var dropped: [Unenrollment] = []
        try state.publish { (view) throws(MAMError) in
            try view.accounts.change(account.row) { (record) throws(MAMError) in
                try advance(&record, .unenrolled)
                registration = record.registration
                record.registration = nil
                record.nextCheckIn = nil
                record.nextInUse = nil
                record.lastCode = Int64(StatusCode.unenrollmentSuccess.rawValue)
                record.lastMessage = nil
                // Unenrolling opens nothing that was closed.
                var history = LaunchHistory(json: record.launch)
                history.keepClosed(account.ownFindings)
                record.launch = history.json
            }
            if let registration {
                dropped = try wait(
                    view, Unenrollment(registration: registration, of: account.accountId, account.record.upn, clock))
            }
            if account.wasManaged { try view.names.retire(account.record.allNames) }
            if account.isEnrolled { try forgetSignIn(view, leaving: account.row.id) }
            try view.policies.store([], of: account.row)
            try view.configurations.forget(of: account.row)
            // What managed apps hand to each other is not for it any more.
            try view.exchangeKeys.forget(before: .max, of: account.row)
            try leave(view, account.row.id)
            try view.outcomes.add(
                event("unenrollRequest", of: account.named, [("status", success.json)]), app: settings.app.id)
        }
        try reload()
        log.write(.info, "account \(account.row.id.hex) unenrolled")
        warnUnreported(dropped, "more than \(WaitingUnenrollments.capacity) wait")
        return start(.unenroll(success, registration: registration))
    }

    /// End the operation of an unenrollment: the authority has heard of it, or will.
    func carryOut(_ success: EnrollmentStatus, registration: String?) throws(MAMError) -> Outcome {
        guard let registration else { return .done(success) }
        guard let failures = try reportUnenrollments() else { return Session.afterAnother }
        guard let failure = failures[registration] else { return .done(success) }
        let note = "The authority could not be told yet (\(failure.code.rawValue) \(failure.code.name))"
        return .done(
            status(
                success.code, accountId: success.accountId, upn: success.upn,
                message: failure.message.isEmpty ? note : "\(note): \(failure.message)"))
    }

    /// Report what waits, because its time has come.
    func carryOutReports() throws(MAMError) -> Outcome {
        try reportUnenrollments() == nil ? Session.afterAnother : .done(status(.unenrollmentSuccess))
    }

    /// The authority has granted an enrollment that is not used: end it there, now or later.
    func takeBack(_ enrollment: Enrollment) {
        let unused = Unenrollment(
            registration: enrollment.registration, of: enrollment.accountId, enrollment.upn, clock)
        guard case .failure = report(unused, hostFacts(snapshots.latest)) else { return }
        do throws(MAMError) {
            let dropped = try state.publish { (view) throws(MAMError) in try wait(view, unused) }
            try reload()
            warnUnreported(dropped, "more than \(WaitingUnenrollments.capacity) wait")
        } catch { log.write(.warning, "an enrollment that is not used stays at the authority: \(error.message)") }
    }

    private static var afterAnother: Outcome { .again(at: platform_time_monotonic() &+ 50) }

    /// Let an unenrollment wait for the authority; the result does not wait any longer. The operation that began it comes
    /// first.
    private func wait(_ view: StateView, _ unenrollment: Unenrollment) throws(MAMError) -> [Unenrollment] {
        let soon = clock.now() + .minutes(1)
        return try view.unenrollments.change { waiting in
            waiting.next = min(waiting.next ?? soon, soon)
            return waiting.add(unenrollment)
        }
    }

    /// Report one; an enrollment that the authority has forgotten has ended.
    private func report(_ one: Unenrollment, _ host: HostFacts) -> Result<Void, AuthorityFailure> {
        let reply = asking { () throws(AuthorityFailure) in
            try authority.unenroll(one.accountId, registration: one.registration, app: appFacts, host: host)
        }
        if case .failure(let failure) = reply, failure.code == .policyRecordGone { return .success(()) }
        return reply
    }

    /// Report every unenrollment that waits. The result is why some still do, by registration; nil while another session of
    /// the group reports.
    private func reportUnenrollments() throws(MAMError) -> [String: AuthorityFailure]? {
        guard let lease = try state.lease(.unenrollment) else { return nil }
        defer { lease.end() }
        let waiting = try state.read { (view, _) throws(MAMError) in try view.unenrollments.load() }
        guard !waiting.all.isEmpty else { return [:] }
        let host = hostFacts(try current())
        var heard: Set<String> = []
        var failures: [String: AuthorityFailure] = [:]
        var unreachable: AuthorityFailure?
        for one in waiting.all {
            if unreachable == nil {
                switch report(one, host) {
                case .success:
                    heard.insert(one.registration)
                    continue
                case .failure(let failure):
                    failures[one.registration] = failure
                    if Schedule.isNetworkFailure(failure.code) { unreachable = failure }
                }
            }
            // Not asked again for each of them: that would take five seconds each where somebody has locked it.
            if let unreachable { failures[one.registration] = unreachable }
        }
        try settle(heard, failures)
        return failures
    }

    /// Write down what came of reporting. What failed for too long is given up: the authority forgets silent enrollments.
    private func settle(_ heard: Set<String>, _ failures: [String: AuthorityFailure]) throws(MAMError) {
        let now = clock.now()
        let share = jitter()
        let dropped = try state.publish { (view) throws(MAMError) in
            try view.unenrollments.change { waiting in
                _ = waiting.remove { heard.contains($0.registration) }
                let dropped = waiting.remove {
                    failures[$0.registration] != nil && $0.ended + Session.unreportedLasts < now
                }
                guard !failures.isEmpty, !waiting.all.isEmpty else { return dropped }
                waiting.failures = min(waiting.failures, 1000) + 1
                waiting.next = Schedule.afterNetworkFailure(Int(waiting.failures), at: now, jitter: share)
                return dropped
            }
        }
        try reload()
        if !failures.isEmpty {
            log.write(.warning, "\(failures.count) unenrollments could not be reported to the authority yet")
        }
        warnUnreported(dropped, "it could not be told for 90 days")
    }

    private static let unreportedLasts = TimeSpan.days(90)

    private func warnUnreported(_ dropped: [Unenrollment], _ why: String) {
        for one in dropped {
            warn(
                "the authority is not told any more that an account was unenrolled: \(why); it forgets the enrollment when that was silent for 90 days",
                [("accountId", .string(one.accountId)), ("upn", .optional(one.upn))])
        }
    }
}

extension Unenrollment {
    fileprivate init(registration: String, of accountId: String, _ upn: String?, _ clock: Clock) {
        self.init(registration: registration, accountId: accountId, upn: upn, ended: clock.now())
    }
}
