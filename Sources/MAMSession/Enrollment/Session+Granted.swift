import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// What becomes of an enrollment that the authority has granted.
extension Session {
    /// What became of it in the state.
    private enum Kept {
        case kept(AccountRow)
        /// Another account was enrolled meanwhile, and only one may be.
        case beside
        /// The account was deregistered meanwhile.
        case left
    }

    /// Keep it, unless something else happened to the account meanwhile, and ask for the policy at once.
    func enrolled(
        _ candidate: Candidate, _ enrollment: Enrollment, _ isQuiet: Bool, _ lease: Lease
    ) throws(MAMError) -> Outcome {
        let kept: Kept
        do throws(MAMError) {
            defer { lease.end() }
            kept = try keep(enrollment, candidate)
        } catch {
            takeBack(enrollment)
            throw error
        }
        let snapshot = try reload()
        switch kept {
        case .kept(let row):
            log.write(.info, "account \(row.id.hex) enrolled")
            log.write(.verbose, "account \(row.id.hex) is \(enrollment.upn) (\(enrollment.accountId))")
            guard let fresh = snapshot.accounts.first(where: { $0.row.id == row.id }) else {
                return .done(status(.appNotEnrolled, accountId: enrollment.accountId, upn: enrollment.upn))
            }
            return try checkIn(fresh, isFirst: true)
        case .beside:
            takeBack(enrollment)
            return .done(try failed(candidate, .singleManagedAccountMode, "", isQuiet))
        case .left:
            takeBack(enrollment)
            return .done(removedMeanwhile())
        }
    }

    private func keep(_ enrollment: Enrollment, _ candidate: Candidate) throws(MAMError) -> Kept {
        let allowsSeveral = try current().settings.bool(SettingKey.multiManagedIdentities)
        return try state.publish(mayAdd: candidate.row == nil) { (view) throws(MAMError) -> Kept in
            var known = try candidate.row.map { (row) throws(MAMError) in try view.accounts.change(row) { _ in } }
            if known?.record.state == EnrollmentState.unenrolled.rawValue { return .left }
            try KnownAuthority.note(enrollment.identity, view, settings)
            // What it had under another authority stays closed.
            if let other = known, !Session.isOfAuthority(other, enrollment) {
                try view.accounts.change(other) { record in
                    record.state = EnrollmentState.unenrolled.rawValue
                    record.isAside = true
                }
                known = nil
            }
            if known == nil { known = try registered(enrollment, view) }
            // Registered by a name that turned out to be another one of an account that is here.
            if let registration = known, let same = try account(of: enrollment, besides: registration, view) {
                try view.accounts.remove(registration.id)
                known = same
            }
            if !allowsSeveral {
                for case .open(let other) in try view.accounts.all()
                where other.record.state == EnrollmentState.enrolled.rawValue && other.id != known?.id {
                    return .beside
                }
            }
            let row: AccountRow
            if let known { row = known } else { row = try view.accounts.add(registered(enrollment)) }
            try view.keys.makeFirst(for: row)
            // Of an earlier enrollment: until the first check-in has answered, nothing is known and all is refused.
            try view.policies.forget(of: row)
            try view.configurations.forget(of: row)
            var dropped: [String] = []
            let enrolled = try view.accounts.change(row) { (record) throws(MAMError) in
                dropped = record.rename(accountId: enrollment.accountId, upn: enrollment.upn)
                record.tenantId = enrollment.tenantId
                record.registration = enrollment.registration
                record.wipeMark = enrollment.wipeMark
                record.exchangeMark = enrollment.exchangeMark
                record.authority = enrollment.identity?.json ?? .null
                record.isAside = false
                record.isGone = false
                record.isOfFormerTag = false
                record.isAskedFor = false
                record.isDisabled = false  // who is disabled is not enrolled
                if record.state == EnrollmentState.unenrolled.rawValue { try advance(&record, .registered) }
                try advance(&record, .enrolled)
                record.failures = 0
                record.lastCode = nil
                record.lastMessage = nil
                record.lastCheckIn = nil
                record.launch = .null
                record.nextCheckIn = clock.now()
                record.nextInUse = nil
            }
            try takeNames(enrolled, dropping: dropped, view)
            return .kept(enrolled)
        }
    }

    /// The row of an account that was enrolled without having been registered: one that was left unenrolled, or that another
    /// process has registered meanwhile.
    private func registered(_ enrollment: Enrollment, _ view: StateView) throws(MAMError) -> AccountRow? {
        let name = AccountName(enrollment)
        let wiping = try view.journal.all()
        for case .open(let row) in try view.accounts.all()
        where Session.isSame(row.record, name) && Session.isOfAuthority(row, enrollment) {
            if !wiping.contains(where: { $0.account == row.id }) { return row }
        }
        return nil
    }

    /// Another row of this app with the account id that was enrolled.
    private func account(
        of enrollment: Enrollment, besides row: AccountRow, _ view: StateView
    ) throws(MAMError) -> AccountRow? {
        let wiping = try view.journal.all().map(\.account)
        let id = Identity.fold(enrollment.accountId)
        for case .open(let other) in try view.accounts.all()
        where other.id != row.id && !wiping.contains(other.id) && Session.isOfAuthority(other, enrollment) {
            if other.record.accountId.map({ Identity.fold($0) }) == id { return other }
        }
        return nil
    }

    /// An account has these names now: nobody else had them, and they are not retired. Former names that it does not keep are.
    func takeNames(_ row: AccountRow, dropping former: [String], _ view: StateView) throws(MAMError) {
        try view.accounts.takeNames(of: row)
        try view.names.restore(row.record.allNames)
        for name in row.record.allNames { try view.names.forget(name) }
        try view.names.retire(former)
    }

    private func registered(_ enrollment: Enrollment) -> AccountRecord {
        AccountRecord(
            accountId: enrollment.accountId, upn: enrollment.upn, tenantId: enrollment.tenantId,
            state: EnrollmentState.registered.rawValue)
    }
}
