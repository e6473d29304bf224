import CProcess
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Asks the authority for policy and commands.
protocol CheckingIn: AnyObject, Sendable {
    /// Check an account in. `isFirst` is true right after the enrollment.
    func checkIn(_ account: Account, isFirst: Bool) throws(MAMError) -> StepResult
    /// Carry out a wipe that the authority requires before it enrolls an account again.
    func wipeBeforeEnrolling(_ account: AccountRow, _ wipe: Int64) throws(MAMError) -> EnrollmentStatus
}

/// Destroys an account's key and carries out the rest of its wipe.
protocol AccountWiping: AnyObject, Sendable {
    /// Wipe an account.
    func wipe(_ account: AccountRow, _ tombstone: Tombstone) throws(MAMError)
}

/// Keeps the keys for the exchange with other managed apps current.
protocol ExchangeKeyRefreshing: AnyObject, Sendable {
    /// Ask for the exchange keys of an account up to an epoch, where they are missing.
    func refreshExchangeKeys(of account: Account, upTo epoch: Int64)
}

/// Check-ins of enrolled accounts.
final class CheckIns: SessionService, CheckingIn, Sendable {
    let context: SessionContext
    let wipes: any AccountWiping
    let exchangeKeys: any ExchangeKeyRefreshing
    let requests: any EnrollmentRequesting
    let unenrollments: any EnrollmentReturning
    let tests: any TestEnrolling

    init(
        _ context: SessionContext, _ wipes: any AccountWiping, _ exchangeKeys: any ExchangeKeyRefreshing,
        _ requests: any EnrollmentRequesting,
        _ unenrollments: any EnrollmentReturning, _ tests: any TestEnrolling
    ) {
        (self.context, self.wipes, self.exchangeKeys) = (context, wipes, exchangeKeys)
        (self.requests, self.unenrollments, self.tests) = (requests, unenrollments, tests)
    }

    /// Check accounts in, one after the other, and return the worst status.
    func checkIn(_ ids: [AccountRowID]) throws(MAMError) -> StepResult {
        var worst: EnrollmentStatus?
        // An account whose person signs in comes first: the step begins anew with each poll.
        let waiting = ids.filter(requests.isSigningIn)
        for id in waiting + ids.filter({ !waiting.contains($0) }) {
            guard let account = try snapshots.currentRecords().accounts.first(where: { $0.row.id == id }),
                account.isEnrolled
            else {
                continue
            }
            let outcome = try checkIn(account, isFirst: false)
            guard case .ended(.enrollment(let status)) = outcome else { return outcome }
            if worst.map({ status.code.rawValue > $0.code.rawValue }) ?? true { worst = status }
        }
        return .done(worst ?? status(.appNotEnrolled))
    }

    /// Ask the authority for policy and commands, and commit the reply in one transaction.
    func checkIn(_ account: Account, isFirst: Bool) throws(MAMError) -> StepResult {
        let begun = process_clock_monotonic_ms()
        let status: EnrollmentStatus
        var answer: Result<CheckInReply, AuthorityFailure>?
        if !account.isTest {
            switch try askToCheckIn(account) {
            case .answered(let result): answer = result
            case .pending(let step): return step
            }
        }
        switch answer {
        case nil: status = tests.report(account, .policiesHaveNotChanged)
        case .success(let reply): status = try received(reply, for: account, isFirst: isFirst)
        // The check-in comes before the re-enrollment because the authority may answer it with a wipe.
        case .failure(let failure) where failure.code == .policyRecordGone && account.record.isGone && !isFirst:
            return try enrollAgain(account)
        case .failure(let failure):
            if isFirst { emitEnrolled(account, "everything is refused until its policy has come") }
            let mayWipe = failure.isRefusal && !isFirst
            if mayWipe, let wiped = try wipeRefused(account, failure.code, failure.message) {
                status = wiped
            } else {
                status = try checkInFailed(account, failure)
            }
        }
        telemetry.record(
            .checkIn(status.code, isFirst: isFirst, milliseconds: process_clock_monotonic_ms() &- begun),
            of: TelemetryAccount(account))
        return .done(status)
    }

    private enum Asked {
        case answered(Result<CheckInReply, AuthorityFailure>)
        /// The host's answer is not there yet.
        case pending(StepResult)
    }

    /// Ask the authority, and again with what the host gives, where it requires something.
    private func askToCheckIn(_ account: Account) throws(MAMError) -> Asked {
        var given = GivenSecrets()
        switch try requests.resumeSignIn(.known(account), to: &given) {
        case .pending(let step): return .pending(step)
        case .failed(let failure): return .answered(.failure(failure))
        case nil, .again, .nothing: break
        }
        while true {
            let result = try send(account, given)
            guard case .failure(let failure) = result else {
                keep(requests.finishSignIn(.known(account)), of: account.row)
                // There is a network now.
                if snapshots.latest.nextRevocation != nil { revokeSoon() }
                return .answered(result)
            }
            switch try requests.supply(failure, for: .known(account), to: &given) {
            case .again: continue
            case .nothing: return .answered(result)
            case .pending(let step): return .pending(step)
            case .failed(let failure): return .answered(.failure(failure))
            }
        }
    }

    /// Send the check-in. If the authority has seen a higher counter of this state, read the state again and repeat: another app of
    /// the group may have reported since.
    private func send(
        _ account: Account, _ given: GivenSecrets
    ) throws(MAMError) -> Result<CheckInReply, AuthorityFailure> {
        var host = hostFacts(try current())
        func ask() throws(MAMError) -> Result<CheckInReply, AuthorityFailure> {
            try requestFromAuthority { () throws(AuthorityFailure) in
                try authority.checkIn(
                    account.accountId, registration: account.record.registration ?? "",
                    wipeMark: account.record.wipeMark, app: appFacts, host: host, token: given.token,
                    boundTo: given.key)
            }
        }
        let reply = try ask()
        guard case .success(let answer) = reply, let reached = answer.highestCounter else { return reply }
        try state.read { (_, _) in }
        host = hostFacts(try current())
        host.confirmedCounter = reached
        return try ask()
    }

    /// Report that the enrollment succeeded, regardless of its policy request.
    func emitEnrolled(_ account: Account, _ consequence: String) {
        let status = EnrollmentStatus(
            accountId: account.accountId, upn: account.record.upn, code: .newPoliciesReceived,
            message: "The account is enrolled; \(consequence). Nothing to do.", time: clock.now())
        events.emit(.enrollmentRequest, status)
    }

    /// Record and report a check-in that failed; it is planned as after `other`, where that is given.
    func checkInFailed(
        _ account: Account, _ failure: AuthorityFailure, plannedAs other: StatusCode? = nil
    ) throws(MAMError) -> EnrollmentStatus {
        let code = failure.code
        let status = status(failure, accountId: account.accountId, upn: account.record.upn)
        let hasOnly = account.policy == nil && !account.configurations.isEmpty
        func recordFailure(_ view: StateView) throws(MAMError) -> AccountRow {
            try view.accounts.change(account.row) { record in
                if code == .policyRecordGone, record.registration == account.record.registration {
                    record.isGone = true
                }
                schedule.plan(
                    &record, after: code, status.message, isEnrolled: true, hasOnlyConfiguration: hasOnly,
                    notBefore: failure.retryAfter, as: other)
            }
        }
        if account.record.lastCode == nil {
            // The first check-in failed: from now on this closes the account in every session.
            try state.commitForAll { (view) throws(MAMError) in _ = try recordFailure(view) }
            try reload()
        } else {
            updateRecord(try state.write(recordFailure))
        }
        log.write(.warning, "check-in of account \(account.row.id.hex) failed: \(code.rawValue) \(code.name)")
        events.emit(.policyRequest, status)
        return status
    }
}
