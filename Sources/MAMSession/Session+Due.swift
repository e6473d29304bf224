import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The work of operations, and when scheduled work is due.
extension Session: OperationRunning {
    /// The result of work that failed; a launch is then blocked.
    func failed(_ work: OperationQueue.Work, _ error: MAMError) -> OperationResult {
        switch work {
        case .switchIdentity(let request):
            return identitySwitches.ended(request, .failed, error.message, snapshots.latest)
        case .launch: return .launch(launches.failed(error))
        case .pin(let conversation): return .pin(pins.failed(conversation, error))
        case .signIn(let attempt) where attempt.isLaunch: return .launch(launches.failed(error))
        default:
            // Another process has wiped or unenrolled the account: there is nothing to retry.
            let code: StatusCode = error.code == .notRegistered ? .appNotEnrolled : .internalError
            return .enrollment(status(code, message: error.message))
        }
    }

    func carryOut(_ work: OperationQueue.Work) throws(MAMError) -> StepResult {
        switch work {
        case .enroll(let id): return try enrollments.enroll(id, isQuiet: false, .host)
        case .retry(let id): return try enrollments.retry(id)
        case .checkIn(let ids): return try enrollmentServices.checkIns.checkIn(ids)
        case .finishUnenrollment(let success, let registration):
            return try enrollmentServices.unenrollments.carryOut(success, registration: registration)
        case .reportUnenrollments: return try enrollmentServices.unenrollments.carryOutReports()
        case .wipe(let entry): return try wipes.carryOut(entry)
        case .reportWipe(let entry):
            try wipes.report(entry)
            return .done(status(.unenrollmentSuccess, accountId: entry.accountId, upn: entry.upn))
        case .exchangeKeys(let id):
            try protection.fetchExchangeKeys(of: id)
            return .done(status(.policiesHaveNotChanged))
        case .revoke(let unstored):
            try sendRevocations(unstored)
            return .done(status(.policiesHaveNotChanged))
        case .signIn(let attempt): return try enrollments.carryOut(attempt)
        case .launch(let step): return try launches.carryOut(step)
        case .switchIdentity(let request): return try identitySwitches.carryOut(request)
        case .hide(let request): return try identitySwitches.carryOut(request)
        case .pin(let conversation): return try pins.carryOut(conversation)
        case .ended(let status):
            let isOfCheckIn = status.code == .appNotEnrolled || status.code == .notEnrolledAccount
            events.emit(isOfCheckIn ? .policyRequest : .enrollmentRequest, status)
            return .done(status)
        }
    }

    func callDelegate() { events.callDelegate() }

    func startDue() throws(MAMError) {
        let snapshot = try current()
        if wipes.hasUnsettledWipes(snapshot) { wipes.resumeWipes(notBefore: 0) }
        try schedule.startDue(snapshot)
    }
}
