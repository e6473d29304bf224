import MAMProtection
import MAMSupport

/// The data keys of accounts, one an epoch, wrapped under the account's wrap key.
public struct AccountKeyStore {
    let database: Database

    /// Every key of an account, the newest last.
    public func all(of account: AccountRow) throws(MAMError) -> [DataKey] {
        let rows = try database.all(
            "SELECT epoch, key_id, wrapped FROM account_keys WHERE account = ? ORDER BY epoch", .blob(account.id.bytes)
        ) { ($0.integer(0), $0.blob(1), $0.blob(2)) }
        var keys: [DataKey] = []
        for (epoch, id, wrapped) in rows {
            guard let epoch = UInt32(exactly: epoch) else { throw AccountKeyStore.tampered }
            do throws(MAMError) {
                let key = try account.wrapKey.unwrap(wrapped, kind: AccountKeyStore.kind(id), epoch: epoch)
                keys.append(try DataKey(id: id, epoch: epoch, key: key))
            } catch { throw AccountKeyStore.tampered }
        }
        return keys
    }

    /// The account's first key, made unless there is one.
    public func makeFirst(for account: AccountRow) throws(MAMError) {
        let count = try database.first("SELECT count(*) FROM account_keys WHERE account = ?", .blob(account.id.bytes)) {
            $0.integer(0)
        }
        guard count == 0 else { return }
        let (key, secret) = try DataKey.make(epoch: 1)
        let wrapped = try account.wrapKey.wrap(secret, kind: AccountKeyStore.kind(key.id), epoch: 1)
        try database.run(
            "INSERT INTO account_keys VALUES (?, 1, ?, ?)", .blob(account.id.bytes), .blob(key.id), .blob(wrapped))
    }

    /// The key's public number is bound to it, so that neither can be exchanged.
    private static func kind(_ id: [UInt8]) -> String { "account " + hexadecimal(id) }

    private static var tampered: MAMError {
        MAMError(
            .tampered, "a key of the account does not verify: it was changed outside libmam",
            [("table", "account_keys")])
    }
}
