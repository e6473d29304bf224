import MAMSupport

/// The number of database pages sealed under an account's newest key. Their nonces are random, and AES-GCM allows 2^32 of them per
/// key. Pages are counted in blocks before they are sealed, so that a crash overestimates.
public struct PageCounter {
    let view: StateView

    /// Count a block. Returns false where the key would seal more pages than the limit.
    public func reserve(
        _ block: Int64, atMost limit: Int64, of account: AccountRowID, epoch: Int64
    ) throws(MAMError) -> Bool {
        let former = try view.values.value(.sealedPages(account))
        // Another process may have begun a newer epoch.
        let counted = former?["epoch"]?.integer ?? 0
        let pages = counted < epoch ? 0 : former?["pages"]?.integer ?? 0
        guard pages <= limit - block else { return false }
        try view.values.set(
            .sealedPages(account), to: ["epoch": .integer(max(epoch, counted)), "pages": .integer(pages + block)])
        return true
    }

    /// Delete the count of an account.
    func forget(_ account: AccountRowID) throws(MAMError) { try view.values.remove(.sealedPages(account)) }
}
