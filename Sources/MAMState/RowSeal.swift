import MAMProtection
import MAMSupport

/// Seals values of rows. Table, primary key and column are bound, so that values can be neither edited nor moved.
struct RowSeal {
    let key: SealingKey
    let table: StaticString
    private static let maximumLength = 64 << 20

    /// Seal a value. Fails for a value that is too long to be opened again.
    func seal(_ value: JSON, id: [UInt8], column: StaticString) throws(MAMError) -> [UInt8] {
        let bytes = value.utf8
        guard bytes.count <= RowSeal.maximumLength else {
            throw MAMError(
                .argument,
                "what a row of table \(table) would hold is \(bytes.count) bytes long; at most \(RowSeal.maximumLength) are kept",
                [("table", .string("\(table)"))])
        }
        return try Cobblestone.seal(bytes, context: context(id, column), key: key)
    }

    /// Open a value. Fails with `.tampered` where it does not verify.
    func open(_ sealed: [UInt8], id: [UInt8], column: StaticString) throws(MAMError) -> JSON {
        do throws(MAMError) {
            let bytes = try Cobblestone.open(sealed, context: context(id, column), key: key)
            return try JSON(parsing: bytes, limit: RowSeal.maximumLength)
        } catch {
            guard error.code != .closed else { throw error }
            throw MAMError(
                .tampered,
                "a row of table \(table) in the state does not verify: it was changed outside libmam; a successful check-in replaces the rows of policies and configurations; for others put the newest copy of state.db back, or enroll the account anew and protect its data again",
                [("table", .string("\(table)"))])
        }
    }

    /// Seal bytes that are not JSON.
    func seal(bytes: [UInt8], id: [UInt8], column: StaticString) throws(MAMError) -> [UInt8] {
        try Cobblestone.seal(bytes, context: context(id, column), key: key)
    }

    /// Open bytes that are not JSON.
    func open(bytes sealed: [UInt8], id: [UInt8], column: StaticString) throws(MAMError) -> [UInt8] {
        try Cobblestone.open(sealed, context: context(id, column), key: key)
    }

    /// Seal a secret.
    func seal(secret: SecretBytes, id: [UInt8], column: StaticString) throws(MAMError) -> [UInt8] {
        try Cobblestone.seal(secret: secret, context: context(id, column), key: key)
    }

    /// Open a secret.
    func openSecret(_ sealed: [UInt8], id: [UInt8], column: StaticString) throws(MAMError) -> SecretBytes {
        try Cobblestone.openSecret(sealed, context: context(id, column), key: key)
    }

    private func context(_ id: [UInt8], _ column: StaticString) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in [Array("\(table)".utf8), id, Array("\(column)".utf8)] {
            bytes.append(UInt8(truncatingIfNeeded: part.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: part.count))
            bytes.append(contentsOf: part)
        }
        return bytes
    }
}
