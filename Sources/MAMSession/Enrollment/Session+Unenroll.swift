import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// Unenroll without a wipe: the account becomes unmanaged at once and durably, its keys and data stay.
    func makeUnmanaged(_ account: Account) throws(MAMError) {
        try state.publish { (view) throws(MAMError) in
            try view.accounts.change(account.row) { (record) throws(MAMError) in
                try advance(&record, .unenrolled)
                record.nextCheckIn = clock.now()
                record.nextInUse = nil
                record.lastCode = Int64(StatusCode.unenrollmentSuccess.rawValue)
                record.lastMessage = nil
            }
            if account.key != nil { try view.names.retire(account.record.allNames) }
            if account.isEnrolled { try forgetSignIn(view, leaving: account.row.id) }
            try view.policies.store([], of: account.row)
            try view.configurations.forget(of: account.row)
            // What managed apps hand to each other is not for it any more.
            try view.exchangeKeys.forget(before: .max, of: account.row)
            try leave(view, account.row.id)
        }
        try reload()
        log.write(.info, "account \(account.row.id.hex) unenrolled")
    }

    /// Tell the authority of an account that was made unmanaged, and the host when that is done.
    func tellUnenrolled(_ id: AccountRowID) throws(MAMError) -> Outcome {
        let snapshot = try current()
        guard let account = snapshot.accounts.first(where: { $0.row.id == id }), account.state == .unenrolled,
            account.record.nextCheckIn != nil
        else { return .done(status(.unenrollmentSuccess)) }
        var note: String?
        if let registration = account.record.registration {
            let told = asking { () throws(AuthorityFailure) in
                try authority.unenroll(
                    account.accountId, registration: registration, app: appFacts, host: hostFacts(snapshot))
            }
            if case .failure(let failure) = told {
                // The host has dropped the user, whatever the authority's state: it forgets silent registrations by itself.
                note =
                    "The authority could not be told (\(failure.code.rawValue) \(failure.code.name)): \(failure.message)"
            }
        }
        let status = status(
            .unenrollmentSuccess, accountId: account.accountId, upn: account.record.upn, message: note)
        try state.publish { (view) throws(MAMError) in
            try view.accounts.change(account.row) { record in
                record.registration = nil
                record.nextCheckIn = nil
            }
            try view.outcomes.add(
                event("unenrollRequest", accountId: account.accountId, [("status", status.json)]), app: settings.app.id)
        }
        try reload()
        return .done(status)
    }
}
