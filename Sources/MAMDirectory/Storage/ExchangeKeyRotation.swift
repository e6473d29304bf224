import MAMProtection
import MAMSupport

/// Begins epochs of accounts, one for each, in one transaction. The keys that wrap and sign are read once. For many accounts another
/// thread makes exchange keys, which takes longer than all the rest, and this one those that the other does not come to.
final class ExchangeKeyRotation {
    private typealias Epoch = (accountKey: [UInt8], number: UInt32)

    private let store: Store
    private let maker: ExchangeKeyMaker
    /// The newest epoch of each account; nil to look one up.
    private let epochs: [[UInt8]: Int64]?
    private var waiting: [Epoch] = []
    private var making: BackgroundWork<[NewExchangeKey]>?
    private static let batch = 200

    init(_ store: Store, isForMany: Bool = false) throws(MAMError) {
        self.store = store
        epochs = isForMany ? try store.exchangeEpochs() : nil
        let signer = try store.keyFile.flatMap { (file) throws(MAMError) in try Signer(store, file) }
        maker = ExchangeKeyMaker(wrappingKey: try store.createExchangeWrappingKey(), signer: signer?.rows)
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
        if epochs == nil {
            try save(try maker.key(of: accountKey, epoch))
        } else {
            waiting.append((accountKey, epoch))
            if waiting.count >= ExchangeKeyRotation.batch { try makeWaiting() }
        }
        return Int64(epoch)
    }

    /// Have the thread make the keys that wait; while it makes others, make one here.
    private func makeWaiting() throws(MAMError) {
        if let making, !making.hasEnded {
            guard let epoch = waiting.popLast() else { return }
            return try save(try maker.key(of: epoch.accountKey, epoch.number))
        }
        let (former, next, maker) = (making, waiting, maker)
        waiting = []
        making = BackgroundWork { () throws(MAMError) in
            try next.map { (epoch) throws(MAMError) in try maker.key(of: epoch.accountKey, epoch.number) }
        }
        try save(former)
    }

    /// Store all keys that are left.
    func finish() throws(MAMError) {
        while !waiting.isEmpty { try makeWaiting() }
        try save(making)
        making = nil
    }

    private func save(_ made: BackgroundWork<[NewExchangeKey]>?) throws(MAMError) {
        guard let made else { return }
        for key in try made.wait() { try save(key) }
    }

    private func save(_ key: NewExchangeKey) throws(MAMError) {
        let row = try store.database.insert(
            "INSERT INTO exchange_keys (account_key, epoch, key_id, wrapped) VALUES (?, ?, ?, ?)", key.values)
        if let signature = key.signature, let row { try store.save(signature, of: .exchangeKeys, row) }
        try removeKeys(accountKey: key.accountKey, through: Int64(key.epoch) - Store.maximumExchangeKeys)
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

/// An exchange key that is not stored yet.
private struct NewExchangeKey: Sendable {
    let accountKey: [UInt8]
    let epoch: UInt32
    /// The row.
    let values: [SQLValue]
    /// nil where the authority has no key.
    let signature: RowSignature?
}

/// Makes exchange keys, on any thread.
private struct ExchangeKeyMaker: Sendable {
    let wrappingKey: RootKey
    let signer: RowSigner?

    func key(of accountKey: [UInt8], _ epoch: UInt32) throws(MAMError) -> NewExchangeKey {
        let id = try randomBytes(16)
        let key = try SecretBytes.random(count: 32)
        let wrapped = try wrappingKey.wrap(key, kind: Store.kind(id, accountKey), epoch: epoch)
        let values: [SQLValue] = [.blob(accountKey), .integer(Int64(epoch)), .blob(id), .blob(wrapped)]
        return NewExchangeKey(
            accountKey: accountKey, epoch: epoch, values: values, signature: try signer?.sign(.exchangeKeys, values))
    }
}
