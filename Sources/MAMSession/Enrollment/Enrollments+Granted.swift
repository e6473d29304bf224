import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Storing enrollments that the authority has granted.
extension Enrollments {
    /// The outcome of storing an enrollment.
    private enum StoreResult {
        /// `merged` is a registration that turned out to be the account's, and that was removed.
        case stored(AccountRow, merged: AccountRowID?)
        /// Another account was enrolled meanwhile, and only one may be managed.
        case otherEnrolled
        /// The account was deregistered meanwhile.
        case deregistered
    }

    /// Store the enrollment and request the policy at once. If the account changed meanwhile, end the enrollment.
    func storeGranted(
        _ candidate: Candidate, _ enrollment: Enrollment, _ refresh: RefreshToken?, _ isQuiet: Bool, _ lease: Lease
    ) throws(MAMError) -> StepResult {
        let result: StoreResult
        do throws(MAMError) {
            defer { lease.end() }
            result = try store(enrollment, try refresh?.stored(), candidate)
        } catch {
            endUnused(enrollment, refresh)
            throw error
        }
        let snapshot = try reload()
        switch result {
        case .stored(let row, let merged):
            if let merged { removeShare(of: merged) }
            log.write(.info, "account \(row.id.hex) enrolled")
            log.write(.verbose, "account \(row.id.hex) is \(enrollment.upn) (\(enrollment.accountId))")
            guard let fresh = snapshot.accounts.first(where: { $0.row.id == row.id }) else {
                return .done(status(.appNotEnrolled, accountId: enrollment.accountId, upn: enrollment.upn))
            }
            return try checkIns.checkIn(fresh, isFirst: true)
        case .otherEnrolled:
            endUnused(enrollment, refresh)
            return .done(try failed(candidate, AuthorityFailure(.singleManagedAccountMode), isQuiet))
        case .deregistered:
            endUnused(enrollment, refresh)
            return .done(removedMeanwhile())
        }
    }

    /// End a granted enrollment that is not stored.
    func endUnused(_ enrollment: Enrollment, _ refresh: RefreshToken?, _ lease: Lease? = nil) {
        lease?.end()
        unenrollments.endUnused(enrollment)
        revokeLater(refresh)
    }

    /// Remove the share of a registration without data. After a kill it is an orphan (`mam_purge`).
    func removeShare(of account: AccountRowID) {
        do throws(MAMError) { try state.removeShare(account) } catch {
            log.write(.warning, "the share of a registration that was merged is left: \(error.message)")
        }
    }

    private func store(
        _ enrollment: Enrollment, _ refresh: SecretBytes?, _ candidate: Candidate
    ) throws(MAMError) -> StoreResult {
        let allowsSeveral = try current().settings.bool(SettingKey.multiManagedIdentities)
        return try state.commitForAll(mayAddAccount: candidate.row == nil) { (view) throws(MAMError) -> StoreResult in
            var known = try candidate.row.map { (row) throws(MAMError) in try view.accounts.change(row) { _ in } }
            if known?.record.state == .unenrolled { return .deregistered }
            try StoredAuthority.store(enrollment.identity, view, settings)
            // The account's data under another authority stays closed.
            if let other = known, !enrollment.mayContinue(other) {
                try view.giveUpTokens(of: other, at: clock.now())
                try view.endAccount(.authorityForgotten(other), at: clock.now())
                known = nil
            }
            if known == nil { known = try existingRow(enrollment, view) }
            // The registered name turned out to be another name of an existing account.
            var merged: AccountRowID?
            if let registration = known, let same = try account(of: enrollment, besides: registration, view) {
                try view.accounts.remove(registration.id)
                (known, merged) = (same, registration.id)
            }
            if !allowsSeveral {
                for case .open(let other) in try view.accounts.all()
                where other.record.state == .enrolled && other.id != known?.id {
                    return .otherEnrolled
                }
            }
            let row: AccountRow
            if let known { row = known } else { row = try view.accounts.add(newRecord(enrollment)) }
            try view.keys.makeFirst(for: row)
            // Remove the documents of an earlier enrollment; until the first check-in everything is refused.
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
                record.isAuthorityForgotten = false
                record.isGone = false
                record.isOfFormerTag = false
                record.isAskedFor = false
                record.isDisabled = false  // the authority does not enroll disabled users
                if record.state == .unenrolled { try record.advance(.registered) }
                try record.advance(.enrolled)
                record.failures = 0
                record.lastCode = nil
                record.lastMessage = nil
                record.lastCheckIn = nil
                record.launch = .null
                record.nextCheckIn = clock.now()
                record.nextInUse = nil
            }
            if let refresh, let former = try view.refreshTokens.store(refresh, of: enrolled) {
                try view.giveUp([former], at: clock.now())
            }
            try view.takeNames(enrolled, dropping: dropped)
            return .stored(enrolled, merged: merged)
        }
    }

    /// The existing row of an account that was enrolled without a registration: it was unenrolled before, or another process has
    /// registered it meanwhile.
    private func existingRow(_ enrollment: Enrollment, _ view: StateView) throws(MAMError) -> AccountRow? {
        let name = AccountName(enrollment)
        return try view.liveAccounts().first { name.isSamePerson(as: $0.record) && enrollment.mayContinue($0) }
    }

    /// Another row of this app with the enrolled account id.
    private func account(
        of enrollment: Enrollment, besides row: AccountRow, _ view: StateView
    ) throws(MAMError) -> AccountRow? {
        let id = Identity.fold(enrollment.accountId)
        return try view.liveAccounts().first { other in
            other.id != row.id && enrollment.mayContinue(other)
                && other.record.accountId.map({ Identity.fold($0) }) == id
        }
    }

    private func newRecord(_ enrollment: Enrollment) -> AccountRecord {
        AccountRecord(accountId: enrollment.accountId, upn: enrollment.upn, tenantId: enrollment.tenantId)
    }
}
