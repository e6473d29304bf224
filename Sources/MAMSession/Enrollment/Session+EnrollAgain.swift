import CPlatform
import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// The authority forgot the enrollment (220): enroll anew, unless it does not want the user any more. The policy
    /// stays in force meanwhile.
    func enrollAgain(_ account: Account) throws(MAMError) -> Outcome {
        if let refusal = device.refusal(of: account.record) {
            return .done(try checkInFailed(account, refusal, ""))
        }
        switch try askToEnroll(.known(account), .itself) {
        case .granted(let enrollment, let lease):
            try renew(account, enrollment, lease)
            guard let fresh = try reload().accounts.first(where: { $0.row.id == account.row.id }) else {
                return .done(status(.appNotEnrolled, of: account))
            }
            return try checkIn(fresh, isFirst: true)
        case .changed: return .again(at: platform_time_monotonic())
        case .refused(let failure):
            let code = failure.isUserRefused ? .reEnrollForUnenrolledUser : failure.code
            if failure.isRefusal, let wiped = try wipeRefused(account, code, failure.message) { return .done(wiped) }
            return .done(try checkInFailed(account, code, failure.message))
        case .later(let question): return .later(question: question)
        case .abandoned: return .abandoned
        }
    }

    /// An enrollment of a former device tag gets one of the state's, so that the former state, where it lives on, and this one
    /// are told apart. What fails is tried again after the next check-in.
    func renewRegistration(of id: AccountRowID) throws(MAMError) {
        guard let account = snapshots.latest.accounts.first(where: { $0.row.id == id }),
            account.record.isOfFormerTag, let former = account.record.registration,
            let lease = try state.lease(.enrollment)
        else { return }
        defer { lease.end() }
        let host = hostFacts(try current())
        let reply = asking { () throws(AuthorityFailure) in
            try authority.enroll(
                AccountName(account.record), app: appFacts, host: host, token: nil, cause: .renewal(former))
        }
        var registration = former
        switch reply {
        case .success(let enrollment): registration = enrollment.registration
        // It keeps none: there is nothing to tell apart.
        case .failure(let failure) where failure.code == .policyRecordGone: break
        case .failure(let failure):
            return log.write(
                .warning,
                "account \(id.hex) could not get an enrollment of the new device tag: \(failure.code.rawValue) \(failure.code.name)"
            )
        }
        _ = try state.publish { (view) throws(MAMError) in
            try view.accounts.change(account.row) { record in
                guard record.registration == former else { return }
                record.registration = registration
                record.isOfFormerTag = false
            }
        }
        try reload()
    }

    /// The state names the new enrollment, unless the account has left meanwhile.
    private func renew(_ account: Account, _ enrollment: Enrollment, _ lease: Lease) throws(MAMError) {
        do throws(MAMError) {
            defer { lease.end() }
            _ = try state.publish { (view) throws(MAMError) in
                // Of another authority in this one's place: its epochs begin anew.
                if try view.exchangeKeys.latestEpoch(of: account.row) > enrollment.exchangeMark {
                    try view.exchangeKeys.forget(before: .max, of: account.row)
                }
                try KnownAuthority.note(enrollment.identity, view, settings)
                try view.accounts.change(account.row) { (record) throws(MAMError) in
                    try advance(&record, .recordGone)
                    record.exchangeMark = enrollment.exchangeMark
                    record.isGone = false
                    record.isOfFormerTag = false
                    record.registration = enrollment.registration
                    record.wipeMark = enrollment.wipeMark
                }
            }
        } catch {
            takeBack(enrollment)
            throw error
        }
    }
}
