import MAMProtection
import MAMSupport

/// A document of a signed table as it is stored, beside the digest that the authority signed.
struct StoredDocument {
    let row: Int64
    let message: [UInt8]
    let digest: [UInt8]
    let signed: [UInt8]
}

extension Store {
    /// The documents of a table.
    func storedDocuments(_ table: SignedTable, _ authority: String) throws(MAMError) -> [StoredDocument] {
        try database.all(
            """
            SELECT d.row, d.id, d.document, s.content FROM \(table.rawValue) d
            LEFT JOIN signatures s ON s.of = '\(table.rawValue)' AND s.row = d.row
            """
        ) { row in
            let message = Store.documentMessage(table, id: row.text(1) ?? "", text: row.text(2) ?? "", authority)
            return StoredDocument(row: row.integer(0), message: message, digest: sha256(message), signed: row.blob(3))
        }
    }
}
