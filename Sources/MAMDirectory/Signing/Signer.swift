import MAMProtection
import MAMSupport

/// Signs changes of an authority's owner, inside the transaction of the change.
package struct Signer {
    let identity: AuthorityIdentity
    private let store: Store
    private let key: SigningKey

    /// The signer of an authority; nil where it has no key yet.
    init?(_ store: Store, _ file: KeyFile) throws(MAMError) {
        let trust = AuthorityTrust()
        guard
            let identity = try trust.identity(
                of: try store.signingId(), try store.statements(), path: store.database.path)
        else { return nil }
        self.identity = identity
        self.store = store
        key = try file.key(identity.key)
    }

    private init(_ identity: AuthorityIdentity, _ store: Store, _ key: SigningKey) {
        self.identity = identity
        self.store = store
        self.key = key
    }

    /// Create the authority's id and first key, and sign every row. The key file exists before the transaction commits.
    package static func createIdentity(_ store: Store, _ file: KeyFile) throws(MAMError) {
        let key = try file.make()
        let id = try Store.newId()
        try store.database.run("INSERT INTO identity VALUES (1, ?)", .text(id))
        try state(1, of: id, key.verifier, signedWith: key, store)
        let signer = Signer(AuthorityIdentity(id: id, number: 1, key: key.verifier, statements: []), store, key)
        try signer.signAdded()
        try signer.sign()
    }

    private static func state(
        _ number: Int64, of id: String, _ next: VerifyingKey, signedWith key: SigningKey, _ store: Store
    ) throws(MAMError) {
        let statement = try KeyStatement.make(number, of: id, for: next, signedWith: key)
        try store.database.run(
            "INSERT INTO statements VALUES (?, ?, ?)", .integer(number), .text(statement.payload),
            .blob(statement.signature))
    }

    /// Verify every row before the owner's change, so that changes by others are not signed with it.
    func verify() throws(MAMError) {
        let trust = AuthorityTrust()
        _ = trust.expect(identity)
        try SignedRows(store, trust)?.checkAll(store)
    }

    /// Sign the present rows: documents that changed, or all with `again`, and the digests of all rows.
    func sign(again: Bool = false) throws(MAMError) {
        let database = store.database
        let signed = try store.signedDigests(identity.id).rows
        for table in SignedTable.allCases {
            if table.holdsDocuments {
                for document in try store.storedDocuments(table, identity.id)
                where again || document.digest != document.signed {
                    try database.run(
                        """
                        INSERT INTO signatures VALUES (?1, ?2, ?5, ?3, ?4)
                        ON CONFLICT (of, row) DO UPDATE SET content = ?3, signature = ?4
                        """, .text(table.rawValue), .integer(document.row), .blob(document.digest),
                        .blob(try key.sign(document.message)), .blob([]))
                }
            }
            let former = signed[table] ?? [:]
            let now = try table.digests(store, identity.id)
            for row in former.keys where now[row] == nil {
                try database.run(
                    "DELETE FROM signatures WHERE of = ? AND row = ?", .text(table.rawValue), .integer(row))
            }
            // In the order of the table's key: SQLite then appends.
            for (row, digest) in now.sorted(by: { $0.key < $1.key }) where former[row] != digest {
                try database.run(
                    """
                    INSERT INTO signatures (of, row, digest) VALUES (?1, ?2, ?3)
                    ON CONFLICT (of, row) DO UPDATE SET digest = ?3
                    """, .text(table.rawValue), .integer(row), .blob(digest))
            }
        }
        let message = try store.signedDigests(identity.id).message
        try database.run(
            """
            INSERT INTO signatures VALUES ('', 0, ?1, NULL, ?2)
            ON CONFLICT (of, row) DO UPDATE SET digest = ?1, content = NULL, signature = ?2
            """, .blob(sha256(message)),
            .blob(try key.sign(message)))
    }

    /// Sign the next key with this one, and everything with the next. The key file holds both until the transaction has committed.
    func rotate(_ file: KeyFile) throws(MAMError) {
        let secret = try SecretBytes.random(count: 32)
        let next = try SigningKey(secret)
        try file.add(secret, beside: key.verifier)
        try Signer.state(identity.number + 1, of: identity.id, next.verifier, signedWith: key, store)
        let signer = Signer(
            AuthorityIdentity(id: identity.id, number: identity.number + 1, key: next.verifier, statements: []),
            store, next)
        try signer.signAdded(after: key.verifier)
        try signer.sign(again: true)
    }

    /// Remove the former key from the key file, after the transaction of the rotation.
    func forgetFormerKey(_ file: KeyFile) throws(MAMError) { try file.keep(key.verifier) }

    /// Signs rows that are added.
    var rows: RowSigner { RowSigner(authority: identity.id, key: key) }

    /// Sign one added row in its present form.
    func sign(_ table: RowSignedTable, _ row: Int64) throws(MAMError) {
        for message in try store.rowMessages(table, identity.id, row: row) {
            try store.save(try rows.sign(message), of: table, row)
        }
    }

    /// Sign all added rows; with a former key, those that it signed.
    func signAdded(after former: VerifyingKey? = nil) throws(MAMError) {
        for table in RowSignedTable.allCases {
            let rows = try store.database.all("SELECT row FROM \(table.rawValue)") { $0.integer(0) }
            for row in rows {
                if let former, try !store.isSigned(table, row, of: identity.id, by: former) { continue }
                try sign(table, row)
            }
        }
    }
}
