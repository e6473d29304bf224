import MAMSupport

/// How many pages of an account's databases were sealed under its newest key: the nonces are random, and AES-GCM bears 2^32
/// of them under one key. Pages are counted in blocks before they are sealed, so that a crash counts too many.
public struct PageCounter {
    let view: StateView

    /// Count a block; false where the key would have sealed more than the limit.
    public func reserve(
        _ block: Int64, atMost limit: Int64, of account: AccountRowID, epoch: Int64
    ) throws(MAMError) -> Bool {
        let former = try view.facts.value(PageCounter.name(account))
        // Another process may have begun a newer epoch meanwhile.
        let counted = former?["epoch"]?.integer ?? 0
        let pages = counted < epoch ? 0 : former?["pages"]?.integer ?? 0
        guard pages <= limit - block else { return false }
        try view.facts.set(
            PageCounter.name(account), to: ["epoch": .integer(max(epoch, counted)), "pages": .integer(pages + block)])
        return true
    }

    /// The account's rows go.
    func forget(_ account: AccountRowID) throws(MAMError) { try view.facts.remove(PageCounter.name(account)) }

    private static func name(_ account: AccountRowID) -> String { "sealedPages/\(account.hex)" }
}
