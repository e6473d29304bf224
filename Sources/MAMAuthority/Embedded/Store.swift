import MAMSupport

/// Documents by kind and id.
final class KnownDocuments {
    private var documents: [[UInt8]: JSON] = [:]

    func document(
        _ id: String, _ kind: DocumentKind, read: () throws(MAMError) -> JSON
    ) throws(MAMError) -> JSON {
        let key = Array(kind.plural.utf8) + [0] + Array(id.utf8)
        if let document = documents[key] { return document }
        let document = try read()
        documents[key] = document
        return document
    }
}

/// An open authority. One concept of it stands in one extension; all of them run inside the caller's transaction.
struct Store {
    let database: Database
    /// Whether registrations are kept and faults are counted here.
    var isWritable: Bool
    /// Documents that were read already, where many users are asked about while nothing changes.
    var known: KnownDocuments?
    /// Where the key of the authority lies; nil where nothing is signed.
    var keyFile: KeyFile?
    /// What a reader goes by, and whom it trusts; nil where the authority is not signed, or nothing is verified.
    var signed: (rows: SignedRows, trust: AuthorityTrust)?

    /// Before anybody is told that there is nothing for them: in a damaged file an index finds nothing either.
    func checkSound() throws(MAMError) {
        let finding = try database.first("PRAGMA integrity_check(1)") { $0.text(0) ?? "" } ?? ""
        guard finding == "ok" else {
            throw MAMError(
                .protocolError, "\(database.path): is damaged (\(finding)); put its newest copy back",
                [("path", .string(database.path))])
        }
    }

    /// A new id in the form of a UUID.
    static func newId() throws(MAMError) -> String {
        var bytes = try randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let parts = [bytes[..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10...]].map {
            hexadecimal(Array($0))
        }
        return "\(parts[0])-\(parts[1])-\(parts[2])-\(parts[3])-\(parts[4])"
    }
}

extension Row {
    /// A boolean for JSON.
    func jsonBool(_ column: Int32) -> JSON { .bool(bool(column)) }
    /// Text for JSON; null for NULL.
    func jsonText(_ column: Int32) -> JSON { .optional(text(column)) }
    /// A time for JSON; null for NULL.
    func jsonTime(_ column: Int32) -> JSON {
        isNull(column) ? .null : .string(Instant(milliseconds: integer(column)).rfc3339)
    }
}
