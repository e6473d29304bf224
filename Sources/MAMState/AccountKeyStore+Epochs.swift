import MAMProtection
import MAMSupport

/// The data keys of this app, which it makes itself.
extension AccountKeyStore {
    /// Most epochs of an account: a key a day for 27 years.
    static let mostEpochs: Int64 = 10_000

    /// The account's first key, made unless it has one that is as new as its record says.
    public func makeFirst(for account: AccountRow) throws(MAMError) {
        guard try latestEpoch(of: account) < max(1, account.record.dataEpoch) else { return }
        _ = try make(for: account, after: account.record.dataEpoch)
    }

    /// A new epoch: what is sealed from the commit on is sealed under it. The result is its number, which the account's
    /// record has to tell. `.noSpace` after ``mostEpochs``.
    public func makeNext(for account: AccountRow) throws(MAMError) -> Int64 {
        try make(for: account, after: max(try latestEpoch(of: account), account.record.dataEpoch))
    }

    private func make(for account: AccountRow, after former: Int64) throws(MAMError) -> Int64 {
        guard (0..<AccountKeyStore.mostEpochs).contains(former) else {
            throw MAMError(
                .noSpace,
                "the account has had \(former) keys, and gets no more; wipe it and enroll again to begin anew")
        }
        let epoch = UInt32(truncatingIfNeeded: former + 1)
        let (key, secret) = try DataKey.make(epoch: epoch)
        try keep(secret, named: key.id, epoch: epoch, of: account)
        return Int64(epoch)
    }
}
