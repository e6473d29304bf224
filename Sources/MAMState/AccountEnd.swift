import MAMPolicy
import MAMSupport

/// The way in which an account ends in this app.
public enum AccountEnd: Sendable {
    /// By a wipe: its key is destroyed. A later step of the wipe removes its rows.
    case wiped(WipeEntry)
    /// By an unenrollment without a wipe: its data stays readable, as far as these findings do not close it.
    case unenrolled(AccountRow, isEnrolled: Bool, closing: [LaunchReport.Finding])
    /// Because its authority was forgotten, or another one enrolls its name: its data and its names stay closed.
    case authorityForgotten(AccountRow)
}

extension StateView {
    /// End an account at a time and remove everything that leaves with it. Returns the authority's id of the enrollment that has ended.
    @discardableResult
    public func endAccount(_ end: AccountEnd, at time: Instant) throws(MAMError) -> String? {
        switch end {
        case .wiped(let entry):
            try apps.leave(entry.account)
            let others = try enrolled(besides: entry.account)
            // The wipe removes the names; retiring them records that they were managed here.
            if try wasManaged(entry.account, entry.registration) {
                try retire(
                    entry.allNames, entry.domains, AccountDeparture(wipe: entry.reason, time: time), keeping: others)
            }
            if entry.registration != nil { try forgetSignIn(unlessFor: others) }
            if entry.reason == .pin { try pins.markWiped(entry.accountId, in: entry.app) }
            return entry.registration
        case .unenrolled(let row, let isEnrolled, let findings):
            var registration: String?
            let left = try accounts.change(row) { (record) throws(MAMError) in
                try record.advance(.unenrolled)
                registration = record.registration
                record.registration = nil
                record.nextCheckIn = nil
                record.nextInUse = nil
                record.lastCode = Int64(StatusCode.unenrollmentSuccess.rawValue)
                record.lastMessage = nil
                // Unenrolling does not reopen what was closed.
                record.launchHistory.keepClosed(findings)
            }
            try apps.leave(row.id)
            let others = try enrolled(besides: row.id)
            if try wasManaged(row.id, registration) {
                try retire(
                    left.record.allNames, left.record.domains, AccountDeparture(wipe: nil, time: time), keeping: others)
            }
            if isEnrolled { try forgetSignIn(unlessFor: others) }
            try policies.store([], of: row)
            try configurations.forget(of: row)
            // The account may no longer read data that managed apps exchange.
            try exchangeKeys.forget(before: .max, of: row)
            try refreshTokens.forget(of: row.id)
            return registration
        case .authorityForgotten(let row):
            try apps.leave(row.id)
            try refreshTokens.forget(of: row.id)
            try accounts.change(row) { (record) throws(MAMError) in
                try record.advance(.authorityForgotten)
                record.isAuthorityForgotten = true
            }
            return nil
        }
    }

    /// Whether an account may ever have been managed in this app. The reply is the same before and after its key is destroyed, so
    /// that a wipe that was killed in between leaves what any other leaves. A state that was put back may lack the key's row.
    private func wasManaged(_ id: AccountRowID, _ registration: String?) throws(MAMError) -> Bool {
        if registration != nil || rollbackError(of: id) != nil { return true }
        return try keys.hasAny(of: id)
    }

    /// Remove the overrides of the sign-in settings, unless another account is enrolled.
    private func forgetSignIn(unlessFor others: [AccountRow]) throws(MAMError) {
        guard others.isEmpty else { return }
        for setting in SignInSetting.allCases { try overrides.set(setting.rawValue, to: nil) }
    }

    /// Retire names of an account, except those under which another account is enrolled, with its domains.
    private func retire(
        _ former: [String], _ domains: [String], _ departure: AccountDeparture, keeping others: [AccountRow]
    ) throws(MAMError) {
        let taken = others.flatMap(\.record.allNames).map { Identity.fold($0) }
        try names.retire(former.filter { !taken.contains(Identity.fold($0)) }, departure, domains: domains)
    }

    private func enrolled(besides id: AccountRowID) throws(MAMError) -> [AccountRow] {
        try accounts.all().compactMap { entry in
            guard case .open(let row) = entry, row.id != id else { return nil }
            return row.record.state == .enrolled ? row : nil
        }
    }
}
