import MAMSupport

/// The policies that the authority sent for an account: Graph documents, sealed under the account's key.
public struct PolicyStore {
    private let value: AccountValue

    init(database: Database) { value = AccountValue(database: database, table: "policies") }

    /// The latest policies, in the order of the authority; nil where none were sent.
    public func load(of account: AccountRow) throws(MAMError) -> [SignedDocument]? {
        try value.load(of: account)?.array?.compactMap(SignedDocument.init(json:))
    }

    /// Store policies. They replace a row that does not verify, so that a check-in repairs it.
    public func store(_ policies: [SignedDocument], of account: AccountRow) throws(MAMError) {
        try value.store(.array(policies.map(\.json)), of: account)
    }

    /// Delete the policies.
    public func forget(of account: AccountRow) throws(MAMError) { try value.forget(of: account.id) }
}
