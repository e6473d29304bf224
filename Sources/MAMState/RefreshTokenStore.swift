import MAMProtection
import MAMSupport

/// The refresh tokens of accounts, one for each at most, wrapped under the account's wrap key, so that they end with it. A token is
/// used once: whoever takes it removes it, and commits that before it is used.
public struct RefreshTokenStore {
    let database: Database
    private static let kind = "refresh token"

    /// Whether an account has a token.
    public func has(_ account: AccountRow) throws(MAMError) -> Bool { try wrapped(account) != nil }

    /// The token; nil without one, and where its row does not verify, since a person can sign in again.
    public func load(of account: AccountRow) throws(MAMError) -> SecretBytes? {
        guard let wrapped = try wrapped(account) else { return nil }
        do throws(MAMError) {
            return try account.wrapKey.unwrap(wrapped, kind: RefreshTokenStore.kind, epoch: 0)
        } catch {
            guard error.code != .closed else { throw error }
            return nil
        }
    }

    /// Take the token out of the state.
    public func take(of account: AccountRow) throws(MAMError) -> SecretBytes? {
        let token = try load(of: account)
        try forget(of: account.id)
        return token
    }

    /// Store a token, in place of a former one.
    public func store(_ token: SecretBytes, of account: AccountRow) throws(MAMError) {
        let wrapped = try account.wrapKey.wrap(token, kind: RefreshTokenStore.kind, epoch: 0)
        try database.run(
            "INSERT OR REPLACE INTO refresh_tokens VALUES (?, ?)", .blob(account.id.bytes), .blob(wrapped))
    }

    /// Delete the token.
    func forget(of account: AccountRowID) throws(MAMError) {
        try database.run("DELETE FROM refresh_tokens WHERE account = ?", .blob(account.bytes))
    }

    private func wrapped(_ account: AccountRow) throws(MAMError) -> [UInt8]? {
        try database.first("SELECT wrapped FROM refresh_tokens WHERE account = ?", .blob(account.id.bytes)) {
            $0.blob(0)
        }
    }
}
