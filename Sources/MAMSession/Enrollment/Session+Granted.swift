import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// What becomes of an enrollment that the authority has granted.
extension Session {
    /// Keep it, unless another account was enrolled meanwhile, and ask for the policy at once.
    func enrolled(
        _ candidate: Candidate, _ enrollment: Enrollment, _ isQuiet: Bool
    ) throws(MAMError) -> Outcome {
        let allowsSeveral = try current().settings.bool(SettingKey.multiManagedIdentities)
        let committed = try state.publish { (view) throws(MAMError) -> AccountRow? in
            var known = candidate.row
            if known == nil { known = try registered(enrollment, view) }
            // Another process may have enrolled another account meanwhile.
            if !allowsSeveral {
                for case .open(let other) in try view.accounts.all()
                where other.record.state == EnrollmentState.enrolled.rawValue && other.id != known?.id { return nil }
            }
            let kept: AccountRow
            if let known { kept = known } else { kept = try view.accounts.add(registered(enrollment)) }
            try view.keys.makeFirst(for: kept)
            // Of an earlier enrollment: until the first check-in has answered, nothing is known and all is refused.
            try view.policies.forget(of: kept)
            try view.configurations.forget(of: kept)
            return try view.accounts.change(kept) { (record) throws(MAMError) in
                record.accountId = enrollment.accountId
                record.upn = enrollment.upn
                record.tenantId = enrollment.tenantId
                record.registration = enrollment.registration
                record.wipeMark = enrollment.wipeMark
                record.isGone = false
                if record.state == EnrollmentState.unenrolled.rawValue { try advance(&record, .registered) }
                try advance(&record, .enrolled)
                record.failures = 0
                record.lastCode = nil
                record.lastMessage = nil
                record.lastCheckIn = nil
                record.nextCheckIn = clock.now()
                record.nextInUse = nil
            }
        }
        let snapshot = try reload()
        guard let row = committed else {
            takeBack(enrollment, snapshot)
            return .done(try failed(candidate, .singleManagedAccountMode, "", isQuiet))
        }
        log.write(.info, "account \(row.id.hex) enrolled")
        log.write(.verbose, "account \(row.id.hex) is \(enrollment.upn) (\(enrollment.accountId))")
        guard let fresh = snapshot.accounts.first(where: { $0.row.id == row.id }) else {
            return .done(status(.appNotEnrolled, accountId: enrollment.accountId, upn: enrollment.upn))
        }
        return try checkIn(fresh, isFirst: true)
    }

    /// Tell the authority that an enrollment that it granted is not used. Where that fails it forgets it by itself.
    func takeBack(_ enrollment: Enrollment, _ snapshot: Snapshot) {
        _ = asking { () throws(AuthorityFailure) in
            try authority.unenroll(
                enrollment.accountId, registration: enrollment.registration, app: appFacts, host: hostFacts(snapshot))
        }
    }

    /// The row of an account that was enrolled without having been registered: one that was left unenrolled, or that another
    /// process has registered meanwhile.
    private func registered(_ enrollment: Enrollment, _ view: StateView) throws(MAMError) -> AccountRow? {
        let name = AccountName(enrollment)
        let wiping = try view.journal.all()
        for case .open(let row) in try view.accounts.all() where Session.isSame(row.record, name) {
            if !wiping.contains(where: { $0.account == row.id }) { return row }
        }
        return nil
    }

    private func registered(_ enrollment: Enrollment) -> AccountRecord {
        AccountRecord(
            accountId: enrollment.accountId, upn: enrollment.upn, tenantId: enrollment.tenantId,
            state: EnrollmentState.registered.rawValue)
    }
}
