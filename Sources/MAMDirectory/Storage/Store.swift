import MAMProtection
import MAMSupport

/// Parsed documents by kind and id.
package final class DocumentCache {
    private var documents: [[UInt8]: JSON] = [:]

    package init() {}

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
package struct Store {
    package let database: any SQLDatabase
    /// Whether registrations can be stored and faults counted down.
    package var isWritable: Bool
    /// A cache for simulations, which ask for many users while nothing changes.
    package var documentCache: DocumentCache?
    /// The key file; nil where nothing is signed.
    package var keyFile: KeyFile?
    /// The verified digests, and the trust that accepted their signature; nil where the authority is unsigned or nothing is
    /// verified.
    package var signed: (rows: SignedRows, trust: AuthorityTrust)?

    /// The key that wraps exchange keys; nil where the database itself holds it.
    package var exchangeCustody: RootKey?
    /// Whether this is the database of a service: it counts its changes, and nobody else writes it, so that it is not searched for
    /// damage in each request.
    package var countsChanges = false

    package init(database: any SQLDatabase, isWritable: Bool, keyFile: KeyFile? = nil) {
        self.database = database
        self.isWritable = isWritable
        self.keyFile = keyFile
    }

    /// Check the whole file: requests notice only damage that they meet, and an index of a damaged file may find no rows.
    package func checkIntegrity(_ code: MAMError.Code = .protocolError) throws(MAMError) {
        guard !countsChanges, let damage = try database.damage() else { return }
        throw MAMError(
            code, "\(database.path): is damaged (\(damage)); put its newest copy back",
            [("path", .string(database.path))])
    }

    /// A new random UUID.
    package static func newId() throws(MAMError) -> String {
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
