import MAMProtection
import MAMSupport

/// Exchange keys: one for each epoch of an account; exports use the newest. A new epoch begins whenever an app may lose access, so
/// that it cannot read later exports.
extension Store {
    /// Keys of older epochs are deleted here; apps keep those that they received.
    static let maximumExchangeKeys: Int64 = 1000

    /// The newest epoch of an account; 0 where it has no key.
    func exchangeEpoch(accountKey: [UInt8]) throws(MAMError) -> Int64 {
        try database.first("SELECT max(epoch) FROM exchange_keys WHERE account_key = ?", .blob(accountKey)) {
            $0.integer(0)
        } ?? 0
    }

    /// The newest epochs by account.
    fileprivate func exchangeEpochs() throws(MAMError) -> [[UInt8]: Int64] {
        var epochs: [[UInt8]: Int64] = [:]
        try database.query("SELECT account_key, max(epoch) FROM exchange_keys GROUP BY account_key") {
            epochs[$0.blob(0)] = $0.integer(1)
        }
        return epochs
    }

    /// The keys of an account from an epoch on, the oldest first; from 0 on, the newest alone.
    func exchangeKeys(accountKey: [UInt8], from epoch: Int64) throws(MAMError) -> [ExchangeKey] {
        let latest = try exchangeEpoch(accountKey: accountKey)
        let rows = try database.all(
            "SELECT epoch, key_id, wrapped, row FROM exchange_keys WHERE account_key = ? AND epoch >= ? ORDER BY epoch",
            .blob(accountKey), .integer(epoch == 0 ? latest : epoch)
        ) { ($0.integer(0), $0.blob(1), $0.blob(2), $0.integer(3)) }
        guard !rows.isEmpty else { return [] }
        let custody = try exchangeWrappingKey()
        return try rows.map { (epoch, id, wrapped, row) throws(MAMError) in
            guard try isSigned(.exchangeKeys, row), let custody, let epoch = UInt32(exactly: epoch) else {
                throw unreadableExchangeKey
            }
            do throws(MAMError) {
                let kind = Store.kind(id, accountKey)
                return ExchangeKey(epoch: epoch, id: id, key: try custody.unwrap(wrapped, kind: kind, epoch: epoch))
            } catch { throw unreadableExchangeKey }
        }
    }

    /// Begin a new epoch of an account and return its number.
    @discardableResult
    func rotateExchangeKey(accountKey: [UInt8]) throws(MAMError) -> Int64 {
        try ExchangeKeyRotation(self).rotate(accountKey: accountKey)
    }

    /// Create a first key for every user without one, in a file of an older version.
    func createMissingExchangeKeys() throws(MAMError) {
        let users = try database.all(
            "SELECT account_key FROM users WHERE account_key NOT IN (SELECT account_key FROM exchange_keys)"
        ) { $0.blob(0) }
        guard !users.isEmpty else { return }
        let rotation = try ExchangeKeyRotation(self, isForMany: true)
        for user in users { try rotation.rotate(accountKey: user) }
        try rotation.finish()
    }

    /// The key that wraps exchange keys. It is stored in the same file, so it protects nothing from users who can read the file; it
    /// binds each key to its account, epoch and id.
    private func exchangeWrappingKey() throws(MAMError) -> RootKey? {
        try CryptoLibrary.start()
        let secret = try database.first("SELECT secret FROM exchange_custody") { $0.blob(0) }
        return try secret.map { (secret) throws(MAMError) in
            try RootKey(try SecretBytes(count: secret.count) { $0.copyBytes(from: secret) })
        }
    }

    fileprivate func createExchangeWrappingKey() throws(MAMError) -> RootKey {
        if let custody = try exchangeWrappingKey() { return custody }
        try database.run("INSERT INTO exchange_custody VALUES (1, ?)", .blob(try randomBytes(32)))
        guard let custody = try exchangeWrappingKey() else { throw unreadableExchangeKey }
        return custody
    }

    private var unreadableExchangeKey: MAMError {
        MAMError(
            .protocolError, "\(database.path): an exchange key does not verify; put the newest copy of the file back",
            [("path", .string(database.path)), ("table", "exchange_keys")])
    }

    fileprivate static func kind(_ id: [UInt8], _ accountKey: [UInt8]) -> String {
        "exchange \(hexadecimal(id)) \(String(decoding: accountKey, as: UTF8.self))"
    }
}

/// Begins epochs of accounts, one for each, in one transaction. The keys that wrap and sign are read once, and another thread signs:
/// that takes as long as all the rest.
final class ExchangeKeyRotation {
    private typealias Added = (row: Int64, message: [UInt8])

    private let store: Store
    private let wrappingKey: RootKey
    /// nil where the authority has no key.
    private let signer: Signer?
    /// The newest epoch of each account; nil to look one up.
    private let epochs: [[UInt8]: Int64]?
    private var unsigned: [Added] = []
    private var signing: (rows: [Added], thread: SigningThread)?
    private static let batch = 500

    init(_ store: Store, isForMany: Bool = false) throws(MAMError) {
        self.store = store
        epochs = isForMany ? try store.exchangeEpochs() : nil
        wrappingKey = try store.createExchangeWrappingKey()
        signer = try store.keyFile.flatMap { (file) throws(MAMError) in try Signer(store, file) }
    }

    /// Begin a new epoch of an account and return its number. For many, `finish` ends the work.
    @discardableResult
    func rotate(accountKey: [UInt8]) throws(MAMError) -> Int64 {
        let latest: Int64
        if let epochs {
            latest = epochs[accountKey] ?? 0
        } else {
            latest = try store.exchangeEpoch(accountKey: accountKey)
        }
        guard let epoch = UInt32(exactly: latest + 1) else {
            throw MAMError(.noSpace, "the account has had \(latest) exchange keys, and gets no more")
        }
        let id = try randomBytes(16)
        let key = try SecretBytes.random(count: 32)
        let wrapped = try wrappingKey.wrap(key, kind: Store.kind(id, accountKey), epoch: epoch)
        let values: [SQLValue] = [.blob(accountKey), .integer(Int64(epoch)), .blob(id), .blob(wrapped)]
        try store.database.query(
            "INSERT INTO exchange_keys (account_key, epoch, key_id, wrapped) VALUES (?, ?, ?, ?)", values
        ) { _ in }
        try sign(store.database.lastInsertedRow, values)
        try removeKeys(accountKey: accountKey, through: Int64(epoch) - Store.maximumExchangeKeys)
        return Int64(epoch)
    }

    private func sign(_ row: Int64, _ values: [SQLValue]) throws(MAMError) {
        guard let signer else { return }
        let message = RowSignedTable.exchangeKeys.message(signer.identity.id, values)
        guard epochs != nil else { return try signer.sign(.exchangeKeys, row, message) }
        unsigned.append((row, message))
        if unsigned.count >= ExchangeKeyRotation.batch { try beginSigning(signer) }
    }

    /// Store the signatures that the thread has made, and give it the next rows.
    private func beginSigning(_ signer: Signer) throws(MAMError) {
        let next = unsigned.isEmpty ? nil : signer.begin(unsigned.map(\.message))
        if let (rows, thread) = signing {
            for (added, signature) in zip(rows, try thread.wait()) {
                try signer.save(.exchangeKeys, added.row, added.message, signature)
            }
        }
        signing = next.map { (unsigned, $0) }
        unsigned = []
    }

    /// Store all signatures that are left.
    func finish() throws(MAMError) {
        guard let signer else { return }
        try beginSigning(signer)
        try beginSigning(signer)
    }

    private func removeKeys(accountKey: [UInt8], through epoch: Int64) throws(MAMError) {
        guard epoch > 0 else { return }
        try store.database.run(
            """
            DELETE FROM signatures WHERE of = 'exchange_keys' AND row IN (
                SELECT row FROM exchange_keys WHERE account_key = ? AND epoch <= ?)
            """, .blob(accountKey), .integer(epoch))
        try store.database.run(
            "DELETE FROM exchange_keys WHERE account_key = ? AND epoch <= ?", .blob(accountKey), .integer(epoch))
    }
}
