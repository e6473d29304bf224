import MAMPolicy
import MAMSupport

/// Documents of one kind: import, storage and removal.
struct DocumentStore<Document: TargetedDocument> {
    let store: Store

    var database: any SQLDatabase { store.database }
    var kind: DocumentKind { Document.kind }

    /// The row of a document.
    func row(of id: Identity) throws(MAMError) -> Int64? {
        try database.first("SELECT row FROM \(kind.plural) WHERE id_key = ?", .blob(id.folded)) { $0.integer(0) }
    }

    /// The rows of the documents with a display name.
    func rows(displayName name: Identity) throws(MAMError) -> [Int64] {
        var found: [Int64] = []
        for row in try rows() where Identity.fold(try document(row).displayName) == name.folded { found.append(row) }
        return found
    }

    /// All rows, in order of creation.
    func rows() throws(MAMError) -> [Int64] {
        try database.all("SELECT row FROM \(kind.plural) ORDER BY row") { $0.integer(0) }
    }

    /// Save an imported file; returns the row of the import.
    func saveImport(_ document: JSON, id: String, count: Int) throws(MAMError) -> Int64 {
        try database.insert(
            "INSERT INTO \(kind.imports) (id, id_key, \(kind.plural), document) VALUES (?, ?, ?, ?)", .text(id),
            .blob(Identity.fold(id)), .integer(Int64(count)), .text(document.text))
    }

    /// Save a document. One with the same id is replaced, and keeps its place, assignments and targets.
    func save(_ document: Document, id: Identity, importRow: Int64) throws(MAMError) -> Int64 {
        try database.run(
            """
            INSERT INTO \(kind.plural) (id, id_key, import_row, is_default, document) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id_key) DO UPDATE SET id = excluded.id, import_row = excluded.import_row,
                is_default = excluded.is_default, document = excluded.document
            """, .text(id.text), .blob(id.folded), .integer(importRow), .bool(document.isTenantDefault),
            .text(document.json.text))
        return try row(of: id) ?? 0
    }

    /// The imported file with an id; nil where no document of it is left.
    func imported(_ id: Identity) throws(MAMError) -> JSON? {
        let text = try database.first("SELECT document FROM \(kind.imports) WHERE id_key = ?", .blob(id.folded)) {
            $0.text(0) ?? ""
        }
        return try text.map { (text) throws(MAMError) in try Store.document(text, of: "import \(id.text)") }
    }

    /// The imported form of a document: with its wrapper where it was imported alone.
    func imported(_ row: Int64, _ name: String) throws(MAMError) -> JSON {
        let text = try database.first(
            """
            SELECT CASE i.\(kind.plural) WHEN 1 THEN i.document ELSE d.document END
            FROM \(kind.plural) d JOIN \(kind.imports) i ON i.row = d.import_row WHERE d.row = ?
            """, .integer(row)
        ) { $0.text(0) ?? "" }
        return try Store.document(text ?? "", of: "\(kind.noun) \(name)")
    }

    /// Remove a document with its assignments and targets.
    func remove(_ row: Int64) throws(MAMError) {
        try database.run("DELETE FROM \(kind.plural) WHERE row = ?", .integer(row))
        try removeUnusedImports()
    }

    /// Remove imports without documents.
    func removeUnusedImports() throws(MAMError) {
        try database.run(
            """
            DELETE FROM \(kind.imports)
            WHERE NOT EXISTS (SELECT 1 FROM \(kind.plural) d WHERE d.import_row = \(kind.imports).row)
            """)
    }

    /// A document, parsed.
    func document(_ row: Int64) throws(MAMError) -> Document {
        let found = try database.first("SELECT id, document FROM \(kind.plural) WHERE row = ?", .integer(row)) {
            ($0.text(0) ?? "", $0.text(1) ?? "")
        }
        let (id, text) = found ?? ("", "")
        return try Document(id: id, json: try Store.document(text, of: "\(kind.noun) \(id)"))
    }
}
