import MAMProtection
import MAMSupport

/// The digests of an authority's rows, which one signature covers. A row is valid where its digest matches; a table, where each
/// row's digest matches and no row is missing.
package struct SignedRows {
    package let identity: AuthorityIdentity
    private let path: String
    private let digests: [SignedTable: [Int64: [UInt8]]]

    /// Verify the digests of an open authority; nil where it is unsigned and `trust` expects no other.
    package init?(_ store: Store, _ trust: AuthorityTrust) throws(MAMError) {
        path = store.database.path
        let id = try store.signingId()
        guard var identity = try trust.identity(of: id, try store.statements(), path: path) else { return nil }
        let revision = try store.revision()
        identity.revision = revision.number
        identity.mark = revision.marks.last
        self.identity = identity
        let (digests, message) = try store.signedDigests(identity.id)
        self.digests = digests
        let signature = try store.database.first("SELECT signature FROM signatures WHERE of = '' AND row = 0") {
            $0.blob(0)
        }
        guard let signature, trust.verifies(signature, of: message, by: identity.key) else {
            throw AuthorityTrust.refused(path, "the signature over its rows does not verify: \(SignedRows.advice)")
        }
        try check(.revision, store)
        try trust.follow(identity, revision, path: path)
    }

    /// Check one row.
    func check(_ table: SignedTable, _ row: Int64, _ store: Store) throws(MAMError) {
        let found = try table.digests(store, identity.id, of: row)[row]
        guard let found, found == digests[table]?[row] else { throw changed(table, row) }
    }

    /// Check all rows of a table, including for deleted ones.
    func check(_ table: SignedTable, _ store: Store) throws(MAMError) {
        let found = try table.digests(store, identity.id)
        let signed = digests[table] ?? [:]
        guard found != signed else { return }
        let row = Set(found.keys).union(signed.keys).sorted().first { found[$0] != signed[$0] }
        throw changed(table, row ?? 0)
    }

    /// Check the tables that every reply depends on.
    package func checkCommon(_ store: Store) throws(MAMError) {
        for table in [SignedTable.authority, .policies, .configurations, .wipes] { try check(table, store) }
    }

    /// Check every row that the catalogue covers, and every document.
    package func checkAll(_ store: Store) throws(MAMError) {
        for table in SignedTable.allCases {
            try check(table, store)
            guard table.holdsDocuments else { continue }
            for document in try store.storedDocuments(table, identity.id) where document.digest != document.signed {
                throw changed(table, document.row)
            }
        }
    }

    /// Check the signature that is delivered with a document.
    func checkDocument(
        _ table: SignedTable, id: String, text: String, signature: [UInt8], _ trust: AuthorityTrust
    ) throws(MAMError) {
        let message = Store.documentMessage(table, id: id, text: text, identity.id)
        guard trust.verifies(signature, of: message, by: identity.key) else {
            throw AuthorityTrust.refused(
                path,
                "the document \(ForeignText.quoted(id)) of table \(table.rawValue) does not verify: \(SignedRows.advice)"
            )
        }
    }

    private func changed(_ table: SignedTable, _ row: Int64) -> MAMError {
        AuthorityTrust.refused(
            path, "row \(row) of table \(table.rawValue) is not as the authority signed it: \(SignedRows.advice)")
    }

    static let advice =
        "it was changed outside libmam; restore the file from a copy, or, where its owner has looked at all of it, sign it as it"
        + " stands with mamctl authority key sign"
}
