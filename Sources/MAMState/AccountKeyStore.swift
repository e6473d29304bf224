import MAMProtection
import MAMSupport

/// The data keys of accounts, one an epoch, wrapped under the account's wrap key. The newest seals; the others open what
/// was sealed under them, and are looked for when that comes.
public struct AccountKeyStore {
    let database: Database

    /// Most epochs of an account: a key a day for 27 years.
    static let mostEpochs: UInt32 = 10_000

    /// The newest key of an account; nil where it has none.
    public func newest(of account: AccountRow) throws(MAMError) -> DataKey? {
        let found = try database.first(
            "SELECT epoch, key_id, wrapped FROM account_keys WHERE account = ? ORDER BY epoch DESC LIMIT 1",
            .blob(account.id.bytes)
        ) { ($0.integer(0), $0.blob(1), $0.blob(2)) }
        return try found.map { (epoch, id, wrapped) throws(MAMError) in
            guard let epoch = UInt32(exactly: epoch) else { throw AccountKeyStore.tampered }
            return try open(wrapped, id, epoch, account)
        }
    }

    /// The key of an account that a container names; nil where it is not the account's.
    public func key(named id: [UInt8], epoch: UInt32, of account: AccountRow) throws(MAMError) -> DataKey? {
        let wrapped = try database.first(
            "SELECT wrapped FROM account_keys WHERE account = ? AND epoch = ? AND key_id = ?",
            .blob(account.id.bytes), .integer(Int64(epoch)), .blob(id)
        ) { $0.blob(0) }
        return try wrapped.map { (wrapped) throws(MAMError) in try open(wrapped, id, epoch, account) }
    }

    /// The account's first key, made unless it has one that is as new as its record says.
    public func makeFirst(for account: AccountRow) throws(MAMError) {
        guard try latestEpoch(of: account) < max(1, account.record.dataEpoch) else { return }
        _ = try make(for: account, after: account.record.dataEpoch)
    }

    /// A new epoch: what is sealed from the commit on is sealed under it. The result is its number, which the account's record
    /// has to tell. `.noSpace` after ``mostEpochs``.
    public func makeNext(for account: AccountRow) throws(MAMError) -> Int64 {
        try make(for: account, after: max(try latestEpoch(of: account), account.record.dataEpoch))
    }

    private func make(for account: AccountRow, after former: Int64) throws(MAMError) -> Int64 {
        guard (0..<Int64(AccountKeyStore.mostEpochs)).contains(former) else {
            throw MAMError(
                .noSpace, "the account has had \(former) keys, and gets no more; wipe it and enroll again to begin anew"
            )
        }
        let epoch = UInt32(truncatingIfNeeded: former + 1)
        let (key, secret) = try DataKey.make(epoch: epoch)
        let wrapped = try account.wrapKey.wrap(secret, kind: AccountKeyStore.kind(key.id), epoch: epoch)
        try database.run(
            "INSERT INTO account_keys VALUES (?, ?, ?, ?)", .blob(account.id.bytes), .integer(Int64(epoch)),
            .blob(key.id), .blob(wrapped))
        return Int64(epoch)
    }

    private func latestEpoch(of account: AccountRow) throws(MAMError) -> Int64 {
        try database.first("SELECT max(epoch) FROM account_keys WHERE account = ?", .blob(account.id.bytes)) {
            $0.integer(0)
        } ?? 0
    }

    private func open(
        _ wrapped: [UInt8], _ id: [UInt8], _ epoch: UInt32, _ account: AccountRow
    ) throws(MAMError) -> DataKey {
        do throws(MAMError) {
            let key = try account.wrapKey.unwrap(wrapped, kind: AccountKeyStore.kind(id), epoch: epoch)
            return try DataKey(id: id, epoch: epoch, key: key)
        } catch { throw AccountKeyStore.tampered }
    }

    /// The key's public number is bound to it, so that neither can be exchanged.
    private static func kind(_ id: [UInt8]) -> String { "account " + hexadecimal(id) }

    private static var tampered: MAMError {
        MAMError(
            .tampered, "a key of the account does not verify: it was changed outside libmam",
            [("table", "account_keys")])
    }
}
