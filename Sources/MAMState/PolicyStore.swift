import MAMProtection
import MAMSupport

/// The policies that the authority sent for an account: Graph documents, sealed under the account's key.
public struct PolicyStore {
    let database: Database

    /// What was sent last, in its order; nil when nothing ever was.
    public func load(of account: AccountRow) throws(MAMError) -> [(id: String, document: JSON)]? {
        try stored(account)?.array?.compactMap { entry in
            guard let id = entry["id"]?.string, let document = entry["document"] else { return nil }
            return (id, document)
        }
    }

    /// Keep what was sent. What does not verify is replaced: a successful check-in mends it.
    public func store(_ policies: [(id: String, document: JSON)], of account: AccountRow) throws(MAMError) {
        let new = JSON.array(policies.map { ["id": .string($0.id), "document": $0.document] })
        let sealed = try seal(account).seal(new, id: account.id.bytes, column: "record")
        try database.run("INSERT OR REPLACE INTO policies VALUES (?, ?)", .blob(account.id.bytes), .blob(sealed))
    }

    /// As if nothing ever was sent.
    public func forget(of account: AccountRow) throws(MAMError) {
        try database.run("DELETE FROM policies WHERE account = ?", .blob(account.id.bytes))
    }

    private func stored(_ account: AccountRow) throws(MAMError) -> JSON? {
        let sealed = try database.first("SELECT record FROM policies WHERE account = ?", .blob(account.id.bytes)) {
            $0.blob(0)
        }
        guard let sealed else { return nil }
        return try seal(account).open(sealed, id: account.id.bytes, column: "record")
    }

    private func seal(_ account: AccountRow) -> RowSeal { RowSeal(key: account.wrapKey.sealing, table: "policies") }
}
