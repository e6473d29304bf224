import MAMSupport

/// Parsed documents by kind and id.
final class DocumentCache {
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

/// An open authority. Each extension covers one concept and runs inside the caller's transaction.
struct Store {
    let database: Database
    /// Whether registrations can be stored and faults counted down.
    var isWritable: Bool
    /// A cache for simulations, which ask for many users while nothing changes.
    var documentCache: DocumentCache?
    /// The key file; nil where nothing is signed.
    var keyFile: KeyFile?
    /// The verified digests, and the trust that accepted their signature; nil where the authority is unsigned or nothing is
    /// verified.
    var signed: (rows: SignedRows, trust: AuthorityTrust)?

    /// Check the file before reporting that nothing applies to a user: an index of a damaged file may find no rows.
    func checkIntegrity() throws(MAMError) {
        let finding = try database.first("PRAGMA integrity_check(1)") { $0.text(0) ?? "" } ?? ""
        guard finding == "ok" else {
            throw MAMError(
                .protocolError, "\(database.path): is damaged (\(finding)); put its newest copy back",
                [("path", .string(database.path))])
        }
    }

    /// A new random UUID.
    static func newId() throws(MAMError) -> String {
        var bytes = try randomBytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text: [UInt8] = []
        for (index, digit) in hexadecimal(bytes).utf8.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
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
