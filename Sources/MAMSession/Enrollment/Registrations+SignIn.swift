import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Enrolling unregistered accounts: one that signs in, or one that the device or the group names.
extension Registrations {
    /// `mam_login_and_enroll`: the account is registered only when it is enrolled.
    public func loginAndEnroll(_ argument: AccountArgument) throws(MAMError) -> Int64 {
        try operations.checkRoom()
        let snapshot = try current()
        let hint: AccountName?
        switch argument {
        case .noUser:
            throw .argument(
                "account",
                "is \"\", which cannot be enrolled; name the account that signs in, or pass NULL for the device's account",
                originalCode: .nilAccount)
        case .notGiven:
            let own = snapshot.device.accounts.account
            hint =
                if own == nil, snapshot.hasRoomForAccount {
                    try state.read { (view, _) throws(MAMError) in try view.groupAccount(for: snapshot) }
                } else { own }
        case .named(let identity):
            let isUPN = identity.folded.contains(UInt8(ascii: "@"))
            hint = isUPN ? AccountName(upn: identity.text) : AccountName(accountId: identity.text)
        }
        if snapshot.isExtension(settings) { return startEnded(.unsupportedAPI, hint) }
        if let hint {
            if let refusal = snapshot.registrationRefusal(hint, settings) { return startEnded(refusal, hint) }
            let known = snapshot.accounts.first { hint.matches($0.record) }
            if known?.isEnrolled ?? false { return startEnded(.alreadyEnrolled, hint) }
        }
        var attempt = SignIn(step: hint.map { .quietly($0) } ?? .ask(refused: nil), hint: hint, purpose: .login)
        if case .named = argument { attempt.isNamed = true }
        return operations.start(.signIn(attempt))
    }

    /// `mam_forget_authority`: forget the authority at the path. Its accounts and their data stay closed until they are enrolled
    /// with it again.
    public func forgetAuthority() throws(MAMError) {
        _ = try current()
        guard !settings.isExtension else {
            throw MAMError(.denied, "an extension does not give up the authority of its app; the app does")
        }
        try state.commitForAll { (view) throws(MAMError) in
            try StoredAuthority.forget(view, settings)
            for case .open(let row) in try view.accounts.all()
            where !row.record.authority.isNull && !row.record.isAuthorityForgotten {
                try view.giveUpTokens(of: row, at: clock.now())
                try view.endAccount(.authorityForgotten(row), at: clock.now())
            }
        }
        if try reload().nextRevocation != nil { revokeSoon() }
        log.write(.warning, "the authority at \(settings.authority.place) was given up; its accounts are closed")
    }
}
