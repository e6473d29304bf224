import MAMProtection
import MAMSupport

/// Exchange keys: one for each epoch of an account; exports use the newest. A new epoch begins whenever an app may lose access, so
/// that it cannot read later exports.
extension Store {
    /// Keys of older epochs are deleted here; apps keep those that they received.
    static let maximumExchangeKeys: Int64 = 1000

    /// The newest epoch of an account; 0 where it has no key.
    package func exchangeEpoch(accountKey: [UInt8]) throws(MAMError) -> Int64 {
        try database.first("SELECT max(epoch) FROM exchange_keys WHERE account_key = ?", .blob(accountKey)) {
            $0.integer(0)
        } ?? 0
    }

    /// The newest epochs by account.
    func exchangeEpochs() throws(MAMError) -> [[UInt8]: Int64] {
        var epochs: [[UInt8]: Int64] = [:]
        try database.query("SELECT account_key, max(epoch) FROM exchange_keys GROUP BY account_key") {
            epochs[$0.blob(0)] = $0.integer(1)
        }
        return epochs
    }

    /// The keys of an account from an epoch on, the oldest first; from 0 on, the newest alone.
    package func exchangeKeys(accountKey: [UInt8], from epoch: Int64) throws(MAMError) -> [ExchangeKey] {
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
    package func rotateExchangeKey(accountKey: [UInt8]) throws(MAMError) -> Int64 {
        try ExchangeKeyRotation(self).rotate(accountKey: accountKey)
    }

    /// Create a first key for every user without one, in a file of an older version.
    package func createMissingExchangeKeys() throws(MAMError) {
        let users = try database.all(
            "SELECT account_key FROM users WHERE account_key NOT IN (SELECT account_key FROM exchange_keys)"
        ) { $0.blob(0) }
        guard !users.isEmpty else { return }
        let rotation = try ExchangeKeyRotation(self, isForMany: true)
        for user in users { try rotation.rotate(accountKey: user) }
        try rotation.finish()
    }

    /// The key that wraps exchange keys and binds each to its account, epoch and id. Where it is stored in the same file, it protects
    /// nothing from users who can read the file.
    private func exchangeWrappingKey() throws(MAMError) -> RootKey? {
        if let exchangeCustody { return exchangeCustody }
        try CryptoLibrary.start()
        let secret = try database.first("SELECT secret FROM exchange_custody") { $0.blob(0) }
        return try secret.map { (secret) throws(MAMError) in
            try RootKey(try SecretBytes(count: secret.count) { $0.copyBytes(from: secret) })
        }
    }

    /// The same key, created where there is none.
    func createExchangeWrappingKey() throws(MAMError) -> RootKey {
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

    /// The kind under which an exchange key is wrapped.
    static func kind(_ id: [UInt8], _ accountKey: [UInt8]) -> String {
        "exchange \(hexadecimal(id)) \(String(decoding: accountKey, as: UTF8.self))"
    }
}
