import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// Refresh tokens: kept with the account, taken out of the state before they are used, revoked where nobody needs them any more.
extension SessionService {
    /// Store a token for an account. One that is not enrolled any more has no use for it.
    func keep(_ token: RefreshToken?, of row: AccountRow) {
        guard let token else { return }
        do throws(MAMError) {
            let stored = try token.stored()
            let isKept = try state.write { (view) throws(MAMError) in
                guard let present = try view.accounts.row(row.id), present.record.state == .enrolled else {
                    return false
                }
                try view.refreshTokens.store(stored, of: present)
                return true
            }
            if !isKept { revokeLater(token) }
        } catch {
            log.write(.warning, "a sign-in cannot be renewed without the person: \(error.message)")
            revokeLater(token)
        }
    }

    /// Take the token of an account out of the state, durably; nil where there is none, or another session has it.
    func takeRefreshToken(of row: AccountRow) throws(MAMError) -> RefreshToken? {
        // A write in vain would wake others.
        guard try state.read({ (view, _) throws(MAMError) in try view.refreshTokens.has(row) }) else { return nil }
        let stored = try state.write { (view) throws(MAMError) in try view.refreshTokens.take(of: row) }
        return stored.flatMap(RefreshToken.init(stored:))
    }

    /// Have the provider revoke a token that is no longer in the state. Nothing waits for it, and it is tried once.
    func revokeLater(_ token: RefreshToken?) {
        guard let token, !settings.isExtension else { return }
        _ = operations.start(.revoke(token))
    }

    /// Ask the provider to revoke a token.
    func revoke(_ token: RefreshToken) throws(MAMError) {
        guard let client = authority.provider(of: token) else { return }
        let reply = try requestFromAuthority { () throws(AuthorityFailure) in try client.revoke(token) }
        if case .failure(let failure) = reply {
            log.write(.info, "a refresh token was given up, and could not be revoked: \(failure.message)")
        }
    }
}
