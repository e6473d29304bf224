import MAMProtection
import MAMSupport

/// What a reader goes by in a signed authority: the digests of its rows, which one signature covers. A row is believed where it
/// has its digest; a table, where each of its rows has, and none is missing.
struct SignedRows {
    let identity: AuthorityIdentity
    private let path: String
    private let digests: [SignedTable: [Int64: [UInt8]]]

    /// Of an open authority; nil where it is not signed, and `trust` knows no other.
    init?(_ store: Store, _ trust: AuthorityTrust) throws(MAMError) {
        path = store.database.path
        let id = try store.signingId()
        guard let identity = try trust.identity(of: id, try store.statements(), path: path) else { return nil }
        self.identity = identity
        let (digests, message) = try store.signedDigests(identity.id)
        self.digests = digests
        let signature = try store.database.first("SELECT signature FROM signatures WHERE of = '' AND row = 0") {
            $0.blob(0)
        }
        guard let signature, trust.verifies(signature, of: message, by: identity.key) else {
            throw AuthorityTrust.refused(path, "the signature over its rows does not verify: \(SignedRows.advice)")
        }
    }

    /// One row, of which somebody relies on every column.
    func check(_ table: SignedTable, _ row: Int64, _ store: Store) throws(MAMError) {
        let found = try table.digests(store, identity.id, of: row)[row]
        guard let found, found == digests[table]?[row] else { throw changed(table, row) }
    }

    /// All rows of a table: what is missing is noticed too.
    func check(_ table: SignedTable, _ store: Store) throws(MAMError) {
        let found = try table.digests(store, identity.id)
        let signed = digests[table] ?? [:]
        guard found != signed else { return }
        let row = Set(found.keys).union(signed.keys).sorted().first { found[$0] != signed[$0] }
        throw changed(table, row ?? 0)
    }

    /// What every reply depends on, whoever asks.
    func checkCommon(_ store: Store) throws(MAMError) {
        for table in [SignedTable.authority, .policies, .configurations, .wipes] { try check(table, store) }
    }

    /// A document that is delivered, and its signature, which goes with it.
    func checkDocument(
        _ table: SignedTable, id: String, text: String, signature: [UInt8], _ trust: AuthorityTrust
    ) throws(MAMError) {
        let message = Store.documentMessage(table, id: id, text: text, identity.id)
        guard trust.verifies(signature, of: message, by: identity.key) else {
            throw AuthorityTrust.refused(
                path, "the document \(Line.quoted(id)) of table \(table.rawValue) does not verify: \(SignedRows.advice)"
            )
        }
    }

    func changed(_ table: SignedTable, _ row: Int64) -> MAMError {
        AuthorityTrust.refused(
            path, "row \(row) of table \(table.rawValue) is not as the authority signed it: \(SignedRows.advice)")
    }

    static let advice =
        "it was changed outside libmam; restore the file from a copy, or, where its owner has looked at all of it, sign it as it"
        + " stands with mamctl authority key sign"
}
