import CProcess
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension CheckIns {
    /// Re-enroll after the authority lost the enrollment (220), unless the authority refuses the user. The policy stays in force
    /// meanwhile.
    func enrollAgain(_ account: Account) throws(MAMError) -> StepResult {
        if let refusal = snapshots.latest.device.accounts.refusalCode(of: account.record) {
            return .done(try checkInFailed(account, AuthorityFailure(refusal)))
        }
        // Copies of a state end each other's enrollments.
        if settings.authority.isService, let last = account.record.renewed, clock.now() < last + .hours(24) {
            var again = AuthorityFailure(
                .policyRecordGone, "The authority has lost the enrollment again within a day; is the state a copy?")
            again.isSuspicious = true
            warn(about: again)
            return .done(try checkInFailed(account, again, plannedAs: .parsingFailure))
        }
        let begun = process_clock_monotonic_ms()
        func record(_ code: StatusCode) {
            telemetry.record(
                .enrollment(code, .renewal, milliseconds: process_clock_monotonic_ms() &- begun),
                of: TelemetryAccount(account))
        }
        switch try requests.askToEnroll(.known(account), .automatic) {
        case .granted(let enrollment, let lease, let refresh):
            try renew(account, enrollment, lease)
            keep(refresh, of: account.row)
            record(.newPoliciesReceived)
            guard let fresh = try reload().accounts.first(where: { $0.row.id == account.row.id }) else {
                return .done(status(.appNotEnrolled, of: account))
            }
            return try checkIn(fresh, isFirst: true)
        case .changed: return .again(at: process_clock_monotonic_ms())
        case .refused(let refusal):
            if let wipe = refusal.wipe { return .done(try wipeBeforeEnrolling(account.row, wipe.id)) }
            let failure =
                refusal.isUserRefused ? AuthorityFailure(.reEnrollForUnenrolledUser, refusal.message) : refusal
            record(failure.code)
            if failure.isRefusal, let wiped = try wipeRefused(account, failure.code, failure.message) {
                return .done(wiped)
            }
            return .done(try checkInFailed(account, failure))
        case .pending(let step): return step
        }
    }

    /// Replace an enrollment made under a former device tag, so that the authority distinguishes this state from a copy that still
    /// has that tag. `renewal` is what the check-in brought for it, which a service needs. A failure is retried after the next
    /// check-in.
    func renewRegistration(of id: AccountRowID, by renewal: String?) throws(MAMError) {
        guard renewal != nil || !settings.authority.isService else { return }
        guard let account = snapshots.latest.accounts.first(where: { $0.row.id == id }),
            account.record.isOfFormerTag, let former = account.record.registration,
            let lease = try state.lease(.enrollment)
        else { return }
        defer { lease.end() }
        let host = hostFacts(try current())
        let token = try renewal.map { (text) throws(MAMError) in
            let bytes = Array(text.utf8)
            return try SecretBytes(count: bytes.count) { $0.copyBytes(from: bytes) }
        }
        let reply = try requestFromAuthority { () throws(AuthorityFailure) in
            try authority.enroll(
                AccountName(account.record), app: appFacts, host: host, marks: WipeMarks(of: [account.row]),
                token: token, boundTo: nil, cause: .renewal(former))
        }
        var registration = former
        switch reply {
        case .success(let enrollment): registration = enrollment.registration
        // The authority has no enrollment under the former tag, so there is none to replace.
        case .failure(let failure) where failure.code == .policyRecordGone: break
        case .failure(let failure):
            return log.write(
                .warning,
                "account \(id.hex) could not get an enrollment of the new device tag: \(failure.code.rawValue) \(failure.code.name)"
            )
        }
        _ = try state.commitForAll { (view) throws(MAMError) in
            try view.accounts.change(account.row) { record in
                guard record.registration == former else { return }
                record.registration = registration
                record.isOfFormerTag = false
            }
        }
        try reload()
    }

    /// Store the new enrollment, unless the account has left meanwhile.
    private func renew(_ account: Account, _ enrollment: Enrollment, _ lease: Lease) throws(MAMError) {
        do throws(MAMError) {
            defer { lease.end() }
            _ = try state.commitForAll { (view) throws(MAMError) in
                // Another authority has taken this one's place, and its epochs start again.
                if try view.exchangeKeys.latestEpoch(of: account.row) > enrollment.exchangeMark {
                    try view.exchangeKeys.forget(before: .max, of: account.row)
                }
                try StoredAuthority.store(enrollment.identity, view, settings)
                try view.accounts.change(account.row) { (record) throws(MAMError) in
                    try record.advance(.recordGone)
                    record.renewed = clock.now()
                    record.exchangeMark = enrollment.exchangeMark
                    record.isGone = false
                    record.isOfFormerTag = false
                    record.registration = enrollment.registration
                    record.wipeMark = enrollment.wipeMark
                }
            }
        } catch {
            unenrollments.endUnused(enrollment)
            throw error
        }
    }
}
