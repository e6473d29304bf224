import MAMProtection
import MAMSupport

/// A table to which check-ins and enrollments add rows. Each row has its own signature, outside the catalogue, so a deleted row is
/// not detected.
enum RowSignedTable: String, CaseIterable {
    case exchangeKeys = "exchange_keys", ended = "ended_registrations"

    fileprivate var kind: StaticString {
        switch self {
        case .exchangeKeys: "libmam authority exchange key 1"
        case .ended: "libmam authority ended registration 1"
        }
    }

    fileprivate var columns: (names: String, count: Int32) {
        switch self {
        case .exchangeKeys: ("account_key, epoch, key_id, wrapped", 4)
        case .ended: ("registration, account_key, app, device_tag, wipe, reason, counter, ended", 8)
        }
    }
}

/// The signature of a row, and the digest of what it signs.
struct RowSignature: Sendable {
    let digest: [UInt8]
    let signature: [UInt8]
}

/// Signs rows without the database, on any thread.
struct RowSigner: Sendable {
    let authority: String
    let key: SigningKey

    /// Sign a row with these values.
    func sign(_ table: RowSignedTable, _ values: [SQLValue]) throws(MAMError) -> RowSignature {
        var message = SignedMessage(table.kind, authority)
        for value in values { message.add(value) }
        return try sign(message.bytes)
    }

    /// Sign the bytes of a row.
    func sign(_ message: [UInt8]) throws(MAMError) -> RowSignature {
        RowSignature(digest: sha256(message), signature: try key.sign(message))
    }
}

extension Store {
    /// The signed bytes of a row; empty where it does not exist.
    func rowMessages(_ table: RowSignedTable, _ authority: String, row: Int64) throws(MAMError) -> [[UInt8]] {
        let (names, count) = table.columns
        return try database.all("SELECT \(names) FROM \(table.rawValue) WHERE row = ?", .integer(row)) { row in
            var message = SignedMessage(table.kind, authority)
            for column in 0..<count { message.add(row, column) }
            return message.bytes
        }
    }

    /// Store the signature of an added row.
    func save(_ signature: RowSignature, of table: RowSignedTable, _ row: Int64) throws(MAMError) {
        try database.run(
            """
            INSERT INTO signatures VALUES (?1, ?2, ?3, NULL, ?4)
            ON CONFLICT (of, row) DO UPDATE SET digest = ?3, content = NULL, signature = ?4
            """, .text(table.rawValue), .integer(row), .blob(signature.digest), .blob(signature.signature))
    }

    /// Sign a row that was inserted, where the authority has a key.
    func signAdded(_ table: RowSignedTable, _ row: Int64) throws(MAMError) {
        guard let keyFile, let signer = try Signer(self, keyFile) else { return }
        try signer.sign(table, row)
    }

    /// Whether a row's signature verifies; also true where nothing is verified.
    func isSigned(_ table: RowSignedTable, _ row: Int64) throws(MAMError) -> Bool {
        guard let signed else { return true }
        return try isSigned(table, row, of: signed.rows.identity.id, by: signed.rows.identity.key)
    }

    /// Whether a key signed a row in its present form.
    func isSigned(
        _ table: RowSignedTable, _ row: Int64, of authority: String, by key: VerifyingKey
    ) throws(MAMError) -> Bool {
        let signature = try database.first(
            "SELECT signature FROM signatures WHERE of = ? AND row = ?", .text(table.rawValue), .integer(row)
        ) { $0.blob(0) }
        return try rowMessages(table, authority, row: row).allSatisfy {
            SignatureCache.shared.verifies(signature ?? [], of: $0, by: key)
        }
    }
}
