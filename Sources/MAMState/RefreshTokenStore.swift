import MAMProtection
import MAMSupport

/// The refresh tokens of accounts, wrapped under the account's wrap key, so that they end with it. Each account has one at most that can
/// be used, and one at most that is in use: whoever takes a token marks it as used, and commits that before sending it. A token that stays
/// marked is that of a process that was killed, or whose reply was lost.
public struct RefreshTokenStore {
    let database: Database
    private static let kind = "refresh token"

    /// Whether an account has a token that can be used.
    public func has(_ account: AccountRow) throws(MAMError) -> Bool { try wrapped(account, isUsed: false) != nil }

    /// Whether an account has a token that is in use.
    public func hasUsed(_ account: AccountRow) throws(MAMError) -> Bool { try wrapped(account, isUsed: true) != nil }

    /// Whether an account has a token of either kind.
    public func hasAny(_ account: AccountRow) throws(MAMError) -> Bool {
        if try has(account) { return true }
        return try hasUsed(account)
    }

    /// The token that can be used; nil without one, and where its row does not verify, since a person can sign in again.
    public func load(of account: AccountRow) throws(MAMError) -> SecretBytes? {
        try load(of: account, isUsed: false)
    }

    private func load(of account: AccountRow, isUsed: Bool) throws(MAMError) -> SecretBytes? {
        guard let wrapped = try wrapped(account, isUsed: isUsed) else { return nil }
        do throws(MAMError) {
            return try account.wrapKey.unwrap(
                wrapped, kind: RefreshTokenStore.kind, epoch: RefreshTokenStore.epoch(isUsed))
        } catch {
            guard error.code != .closed else { throw error }
            return nil
        }
    }

    /// Take the token in order to use it; nil where there is none that can be.
    public func use(of account: AccountRow) throws(MAMError) -> SecretBytes? {
        let token = try load(of: account)
        try delete(account.id, isUsed: false)
        if let token { try insert(token, of: account, isUsed: true) }
        return token
    }

    /// Forget the token that is in use: the provider has answered.
    public func forgetUsed(of account: AccountRow) throws(MAMError) { try delete(account.id, isUsed: true) }

    /// Take the token that can be used out of the state, to be revoked.
    public func take(of account: AccountRow) throws(MAMError) -> SecretBytes? { try take(of: account, isUsed: false) }

    /// Take the token that was in use when its process ended; nil where there is none. The caller holds the lease of those who use tokens.
    public func takeUsed(of account: AccountRow) throws(MAMError) -> SecretBytes? {
        try take(of: account, isUsed: true)
    }

    /// Take every token out of the state.
    public func takeAll(of account: AccountRow) throws(MAMError) -> [SecretBytes] {
        [try take(of: account), try takeUsed(of: account)].compactMap(\.self)
    }

    private func take(of account: AccountRow, isUsed: Bool) throws(MAMError) -> SecretBytes? {
        let token = try load(of: account, isUsed: isUsed)
        try delete(account.id, isUsed: isUsed)
        return token
    }

    /// Store a token that can be used. Returns the one whose place it takes.
    @discardableResult
    public func store(_ token: SecretBytes, of account: AccountRow) throws(MAMError) -> SecretBytes? {
        let former = try load(of: account)
        try insert(token, of: account, isUsed: false)
        return former
    }

    /// Delete the tokens.
    func forget(of account: AccountRowID) throws(MAMError) {
        for isUsed in [false, true] { try delete(account, isUsed: isUsed) }
    }

    private func insert(_ token: SecretBytes, of account: AccountRow, isUsed: Bool) throws(MAMError) {
        let wrapped = try account.wrapKey.wrap(
            token, kind: RefreshTokenStore.kind, epoch: RefreshTokenStore.epoch(isUsed))
        try database.run(
            "INSERT OR REPLACE INTO refresh_tokens VALUES (?, ?, ?)", .blob(account.id.bytes),
            .integer(isUsed ? 1 : 0), .blob(wrapped))
    }

    private func delete(_ account: AccountRowID, isUsed: Bool) throws(MAMError) {
        try database.run(
            "DELETE FROM refresh_tokens WHERE account = ? AND used = ?", .blob(account.bytes),
            .integer(isUsed ? 1 : 0))
    }

    private func wrapped(_ account: AccountRow, isUsed: Bool) throws(MAMError) -> [UInt8]? {
        try database.first(
            "SELECT wrapped FROM refresh_tokens WHERE account = ? AND used = ?", .blob(account.id.bytes),
            .integer(isUsed ? 1 : 0)
        ) { $0.blob(0) }
    }

    /// Bound to the wrapped token, so that one that was used cannot become one that can be.
    private static func epoch(_ isUsed: Bool) -> UInt32 { isUsed ? 1 : 0 }
}
