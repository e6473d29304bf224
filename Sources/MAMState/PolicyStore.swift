import MAMSupport

/// The policies that the authority sent for an account: Graph documents, sealed under the account's key.
public struct PolicyStore {
    private let value: AccountValue

    init(database: Database) { value = AccountValue(database: database, table: "policies") }

    /// What was sent last, in its order; nil when nothing ever was.
    public func load(of account: AccountRow) throws(MAMError) -> [(id: String, document: JSON)]? {
        try value.load(of: account)?.array?.compactMap { entry in
            guard let id = entry["id"]?.string, let document = entry["document"] else { return nil }
            return (id, document)
        }
    }

    /// Keep what was sent. What does not verify is replaced: a successful check-in mends it.
    public func store(_ policies: [(id: String, document: JSON)], of account: AccountRow) throws(MAMError) {
        try value.store(
            .array(policies.map { ["id": .string($0.id), "document": $0.document] }), of: account)
    }

    /// As if nothing ever was sent.
    public func forget(of account: AccountRow) throws(MAMError) { try value.forget(of: account.id) }
}
