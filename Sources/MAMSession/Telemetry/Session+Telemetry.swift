import CProcess
import MAMPolicy
import MAMSupport

/// Calls and operations as events of telemetry.
extension Session {
    /// Run a call of the host, and record it as an action.
    public func perform(
        _ action: TelemetryAction, for account: () -> AccountArgument?, _ body: () throws(MAMError) -> Void
    ) throws(MAMError) {
        guard telemetry.isOn else { return try body() }
        let begun = process_clock_monotonic_ms()
        var failure: MAMError?
        do throws(MAMError) { try body() } catch { failure = error }
        let named = account()?.identity.flatMap { snapshots.latest.find($0) }
        telemetry.record(
            .action(
                action, (failure?.code).map { $0.name.map { "\($0)" } ?? "unknown" } ?? "ok", succeeded: failure == nil,
                milliseconds: process_clock_monotonic_ms() &- begun),
            of: named.map { TelemetryAccount($0) })
        if let failure { throw failure }
    }

    func didStep(_ work: OperationQueue.Work, _ step: StepResult, after milliseconds: Int64) {
        guard telemetry.isOn else { return }
        switch (work, step) {
        case (_, .ended(.launch(let report))):
            telemetry.record(
                .appLaunch(
                    report, isResume: work.isResume, in: snapshots.latest, settings, milliseconds: milliseconds))
        case (.ended(let status), _) where status.code == .appNotEnrolled || status.code == .notEnrolledAccount:
            record(.checkIn(status.code, isFirst: false, milliseconds: milliseconds), status)
        case (.ended(let status), _) where status.code == .unenrollmentSuccess:
            record(.unenrollment(status.code, milliseconds: milliseconds), status)
        case (.finishUnenrollment, .ended(.enrollment(let status))):
            record(.unenrollment(status.code, milliseconds: milliseconds), status)
        case (.pin(let conversation), .ended(.pin(let end))):
            record(.pinReset, end.result.rawValue, end.result.isGood, of: conversation.named, milliseconds)
        case (.switchIdentity, .ended(.identity(let end))):
            record(.identitySwitch, end.result.name, end.result == .success, of: nil, milliseconds)
        default:
            guard let trigger = work.trigger, let status = step.enrolled else { return }
            record(.enrollment(status.code, trigger, milliseconds: milliseconds), status)
        }
    }

    private func record(_ event: TelemetryEvent, _ status: EnrollmentStatus) {
        let named = NamedAccount(accountId: status.accountId, upn: status.upn)
        telemetry.record(event, of: account(named))
    }

    private func record(
        _ action: TelemetryAction, _ result: String, _ succeeded: Bool, of named: NamedAccount?, _ milliseconds: Int64
    ) {
        telemetry.record(
            .action(action, result, succeeded: succeeded, milliseconds: milliseconds),
            of: named.map { account($0) })
    }

    /// The account of a status: as it is known here, else as it was named.
    private func account(_ named: NamedAccount) -> TelemetryAccount {
        let names = [named.accountId, named.upn].compactMap { $0.map { Identity.fold($0) } }
        let known = snapshots.latest.accounts.first { $0.names.contains(where: names.contains) }
        return known.map { TelemetryAccount($0) } ?? TelemetryAccount(id: named.accountId, upn: named.upn)
    }
}

extension OperationQueue.Work {
    fileprivate var isResume: Bool {
        guard case .launch(.check(let run)) = self, case .resume = run.purpose else { return false }
        return true
    }

    /// The trigger of the enrollment that the work is, or begins with.
    fileprivate var trigger: TelemetryEvent.Trigger? {
        switch self {
        case .enroll, .ended: .host
        case .retry: .schedule
        case .signIn(let attempt): attempt.isLaunch ? .launch : .host
        default: nil
        }
    }
}

extension StepResult {
    /// The result of the enrollment that a step has ended.
    fileprivate var enrolled: EnrollmentStatus? {
        switch self {
        case .ended(.enrollment(let status)), .next(.launch(.beginChecks(.some(let status)))),
            .next(.launch(.askToAdd(_, let status))):
            status
        default: nil
        }
    }
}
