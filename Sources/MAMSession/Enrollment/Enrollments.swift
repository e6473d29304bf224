import CProcess
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Enrollment of registered accounts, of accounts that sign in, and by a test policy.
final class Enrollments: SessionService, Sendable {
    let context: SessionContext
    let requests: any EnrollmentRequesting
    let checkIns: any CheckingIn
    let unenrollments: any EnrollmentReturning
    let tests: any TestEnrolling

    init(
        _ context: SessionContext, _ requests: any EnrollmentRequesting, _ checkIns: any CheckingIn,
        _ unenrollments: any EnrollmentReturning, _ tests: any TestEnrolling
    ) {
        (self.context, self.requests, self.checkIns) = (context, requests, checkIns)
        (self.unenrollments, self.tests) = (unenrollments, tests)
    }

    /// Enroll a registered account, then request its policy at once. A quiet attempt that fails emits no event.
    func enroll(
        _ id: AccountRowID, isQuiet: Bool, _ cause: EnrollmentCause
    ) throws(MAMError) -> StepResult {
        let snapshot = try snapshots.currentRecords()
        let known = snapshot.accounts.first { $0.row.id == id }
        if let known, known.isTest { return try enrollByTest(.known(known)) }
        if let known, known.isEnrolled {
            if let refusal = snapshot.device.accounts.refusalCode(of: known.record) {
                return .done(status(refusal, of: known))
            }
            if known.record.lastCode == nil, let outcome = try completeFirstCheckIn(known) { return outcome }
            return .done(status(.alreadyEnrolled, of: known))
        }
        guard let account = known, account.state == .registered else {
            return .done(removedMeanwhile())
        }
        return try enroll(.known(account), isQuiet: isQuiet, cause)
    }

    func removedMeanwhile() -> EnrollmentStatus {
        status(.appNotEnrolled, message: "The account was removed before it was enrolled")
    }

    func enroll(
        _ candidate: Candidate, isQuiet: Bool, _ cause: EnrollmentCause
    ) throws(MAMError) -> StepResult {
        // Another process of the app has enrolled the account meanwhile.
        if case .known(let account) = candidate, account.isEnrolled {
            return try enroll(account.row.id, isQuiet: false, .host)
        }
        if settings.isOfTest(candidate.name) { return try enrollByTest(candidate) }
        let snapshot = try current()
        if cause == .automatic, case .named(let name) = candidate, snapshot.wasWiped(name) {
            let failure = AuthorityFailure(.authRequired, "The account was wiped in this app")
            return .done(try failed(candidate, failure, isQuiet))
        }
        if let refusal = snapshot.registrationRefusal(candidate.name, settings)
            ?? snapshot.refusalBesideEnrolled(candidate)
        {
            return .done(try failed(candidate, AuthorityFailure(refusal), isQuiet))
        }
        if let ended = try unenrollments.reportFormer(candidate) { return ended }
        switch try requests.askToEnroll(candidate, cause) {
        case .granted(let enrollment, let lease, let refresh):
            // All of the account's names are known only now.
            let stated = AccountName(enrollment)
            if let refusal = snapshots.latest.device.accounts.refusalCode(of: stated) {
                endUnused(enrollment, refresh, lease)
                return .done(try failed(candidate, AuthorityFailure(refusal), isQuiet))
            }
            if try isIncomplete(candidate, stated, enrollment) {
                endUnused(enrollment, refresh, lease)
                guard let known = try identified(candidate, stated) else { return .done(removedMeanwhile()) }
                return try enroll(known, isQuiet: isQuiet, cause)
            }
            return try storeGranted(candidate, enrollment, refresh, isQuiet, lease)
        case .changed: return .again(at: process_clock_monotonic_ms())
        case .refused(let failure):
            if let wipe = failure.wipe, let status = try carryOut(wipe, before: candidate) {
                return .done(status)
            }
            return .done(try failed(candidate, failure, isQuiet))
        case .pending(let step): return step
        }
    }

    /// Check in an enrolled account that has no first reply yet; nil if another process, whose enrollment replaced this one, has
    /// the policy meanwhile.
    private func completeFirstCheckIn(_ account: Account) throws(MAMError) -> StepResult? {
        let outcome = try checkIns.checkIn(account, isFirst: false)
        if case .ended(.enrollment(let status)) = outcome, status.code == .policiesHaveNotChanged { return nil }
        return outcome
    }

    /// Report a failed enrollment; for a registered account, record it and plan the next attempt.
    func failed(
        _ candidate: Candidate, _ failure: AuthorityFailure, _ isQuiet: Bool
    ) throws(MAMError) -> EnrollmentStatus {
        let (code, name) = (failure.code, candidate.name)
        let status = status(failure, accountId: name.accountId, upn: name.upn, isRetried: candidate.row != nil)
        if code == .accountNotLicensed || code == .licensedNotTargeted { try restoreNames(of: candidate) }
        if let row = candidate.row {
            let changed = try state.write { (view) throws(MAMError) in
                try view.accounts.change(row) { record in
                    schedule.plan(
                        &record, after: code, status.message, isEnrolled: false, notBefore: failure.retryAfter)
                }
            }
            updateRecord(changed)
        }
        log.write(
            .warning, "account \(candidate.row?.id.hex ?? "") could not be enrolled: \(code.rawValue) \(code.name)")
        if !isQuiet {
            events.emit(.enrollmentRequest, status)
        }
        return status
    }

    /// The authority knows the candidate's names but does not manage them: they are no longer retired, nor former names of another
    /// account.
    private func restoreNames(of candidate: Candidate) throws(MAMError) {
        let names =
            candidate.row.map(\.record.allNames) ?? [candidate.name.accountId, candidate.name.upn].compactMap(\.self)
        let snapshot = try current()
        let isTaken = names.lazy.compactMap { try? Identity($0) }.contains { name in
            if case .retired = snapshot.status(of: name) { return true }
            return snapshot.find(name).map { $0.row.id != candidate.row?.id } ?? false
        }
        guard isTaken else { return }
        try state.commitForAll { (view) throws(MAMError) in
            if let row = candidate.row { try view.accounts.takeNames(of: try view.accounts.change(row) { _ in }) }
            try view.names.restore(names)
        }
        try reload()
    }

    /// Enroll an account whose retry is due, unless another account has become the only managed one.
    func retry(_ id: AccountRowID) throws(MAMError) -> StepResult {
        let snapshot = try current()
        guard let account = snapshot.accounts.first(where: { $0.row.id == id }),
            schedule.nextCheckIn(of: account, in: snapshot) != nil
        else { return .done(status(.singleManagedAccountMode)) }
        return try enroll(id, isQuiet: false, Candidate.known(account).causeOfRepetition)
    }

    /// Enroll an account by the test policy.
    private func enrollByTest(_ candidate: Candidate) throws(MAMError) -> StepResult {
        let snapshot = try current()
        if let refusal = snapshot.registrationRefusal(candidate.name, settings)
            ?? snapshot.refusalBesideEnrolled(candidate)
        {
            return .done(try failed(candidate, AuthorityFailure(refusal), false))
        }
        try tests.applyTestPolicy(candidate.row, candidate.name)
        let names = candidate.name.folded
        guard
            let account = try current().accounts.first(where: { $0.isTest && $0.names.contains(where: names.contains) })
        else {
            return .done(removedMeanwhile())
        }
        let status = status(.newPoliciesReceived, of: account, message: "The account is under a test policy")
        events.emit(.enrollmentRequest, status)
        return .done(tests.report(account, .newPoliciesReceived))
    }
}
