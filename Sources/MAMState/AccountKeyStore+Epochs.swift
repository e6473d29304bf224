import MAMProtection
import MAMSupport

/// Data keys of this app's accounts, which the app makes itself.
extension AccountKeyStore {
    /// The largest epoch: enough for a key a day for 27 years.
    static let maximumEpochs: Int64 = 10_000

    /// Make the account's first key, unless it has a key as new as its record requires.
    public func makeFirst(for account: AccountRow) throws(MAMError) {
        guard try latestEpoch(of: account) < max(1, account.record.dataEpoch) else { return }
        _ = try make(for: account, after: account.record.dataEpoch)
    }

    /// Begin a new epoch, under which all later data is sealed. The caller stores the returned number in the account's record.
    /// Fails with `.noSpace` after ``maximumEpochs``.
    public func makeNext(for account: AccountRow) throws(MAMError) -> Int64 {
        try make(for: account, after: max(try latestEpoch(of: account), account.record.dataEpoch))
    }

    private func make(for account: AccountRow, after former: Int64) throws(MAMError) -> Int64 {
        guard (0..<AccountKeyStore.maximumEpochs).contains(former) else {
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
