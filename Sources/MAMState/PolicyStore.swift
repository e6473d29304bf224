import MAMSupport

/// The policies that the authority sent for an account: Graph documents, sealed under the account's key.
public struct PolicyStore {
    private let value: AccountValue

    init(database: Database) { value = AccountValue(database: database, table: "policies") }

    /// What was sent last, in its order; nil when nothing ever was.
    public func load(of account: AccountRow) throws(MAMError) -> [SentDocument]? {
        try value.load(of: account)?.array?.compactMap(SentDocument.init(json:))
    }

    /// Keep what was sent. What does not verify is replaced: a successful check-in mends it.
    public func store(_ policies: [SentDocument], of account: AccountRow) throws(MAMError) {
        try value.store(.array(policies.map(\.json)), of: account)
    }

    /// As if nothing ever was sent.
    public func forget(of account: AccountRow) throws(MAMError) { try value.forget(of: account.id) }
}
