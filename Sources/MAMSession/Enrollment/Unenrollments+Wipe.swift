import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Wipes that an administrator had ordered before an account was unenrolled: the reply to the report brings them.
extension Unenrollments {
    /// Carry out a wipe that the authority had ordered before it learned of the unenrollment. The unenrollment stays queued until the
    /// wipe has begun, and gives it back the registration that its report needs. An account that is wiped already is only reported.
    func carryOut(
        _ wipe: RegistrationWipe, of one: Unenrollment, _ host: HostFacts
    ) throws(MAMError) -> Report {
        let snapshot = try current()
        if let entry = snapshot.wipes.first(where: { $0.account == one.account }) {
            if entry.registration == one.registration { return .wiping }
            // It began without the registration.
            guard entry.step == .removed else { return .failed(Unenrollments.notWipedFailure) }
        } else if snapshot.unopenable.contains(where: { $0.id == one.account }) {
            return .failed(Unenrollments.notWipedFailure)
        } else if let account = snapshot.accounts.first(where: { $0.row.id == one.account }) {
            return try carryOut(wipe, of: one, account)
        }
        let reply = try requestFromAuthority { () throws(AuthorityFailure) in
            try authority.reportWipe(
                one.accountId, registration: one.registration, wipe: wipe.id, reason: wipe.reason, app: appFacts,
                host: host)
        }
        if case .failure(let failure) = reply, failure.code != .policyRecordGone { return .failed(failure) }
        return .received
    }

    private static let notWipedFailure = AuthorityFailure(
        .failedToClearMamData, "The account's data here is not wiped yet, which the organisation had ordered")

    private func carryOut(
        _ wipe: RegistrationWipe, of one: Unenrollment, _ account: Account
    ) throws(MAMError) -> Report {
        let row = try state.commitForAll { (view) throws(MAMError) in
            try view.accounts.change(account.row) { record in
                // An account that was enrolled again learns of its wipes at its check-ins.
                if record.state != .enrolled { record.registration = one.registration }
            }
        }
        guard let left = try reload().accounts.first(where: { $0.row.id == row.id }) else {
            return .failed(Unenrollments.notWipedFailure)
        }
        guard row.record.state != .enrolled else { return .received }
        log.write(.info, "account \(row.id.hex) is wiped: the authority had ordered it before it was unenrolled")
        do throws(MAMError) {
            try wipes.wipe(left.row, Tombstone(reason: wipe.reason, wipe: wipe.id))
            return .wiping
        } catch { return .failed(AuthorityFailure(.failedToClearMamData, error.message)) }
    }
}
