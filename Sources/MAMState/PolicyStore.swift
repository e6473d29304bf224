import MAMProtection
import MAMSupport

/// The policies that the authority sent for an account: Graph documents, sealed under the account's key.
public struct PolicyStore {
    let database: Database

    /// What was sent last; empty when the account is not targeted.
    public func load(of account: AccountRow) throws(MAMError) -> [(id: String, document: JSON)] {
        let sealed = try database.first("SELECT record FROM policies WHERE account = ?", .blob(account.id.bytes)) {
            $0.blob(0)
        }
        guard let sealed else { return [] }
        let json = try seal(account).open(sealed, id: account.id.bytes, column: "record")
        return (json.array ?? []).compactMap { entry in
            guard let id = entry["id"]?.string, let document = entry["document"] else { return nil }
            return (id, document)
        }
    }

    /// Keep what was sent; the result tells whether it differs from before.
    public func store(_ policies: [(id: String, document: JSON)], of account: AccountRow) throws(MAMError) -> Bool {
        let new = JSON.array(policies.map { ["id": .string($0.id), "document": $0.document] })
        // What does not verify is replaced: a successful check-in mends it.
        let old = try? JSON.array(load(of: account).map { ["id": .string($0.id), "document": $0.document] })
        guard old != new else { return false }
        let sealed = try seal(account).seal(new, id: account.id.bytes, column: "record")
        try database.run("INSERT OR REPLACE INTO policies VALUES (?, ?)", .blob(account.id.bytes), .blob(sealed))
        return true
    }

    private func seal(_ account: AccountRow) -> RowSeal { RowSeal(key: account.wrapKey.sealing, table: "policies") }
}
