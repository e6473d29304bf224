import MAMProtection
import MAMSupport

/// Seals values of rows, so that a row can be neither edited nor moved: table, primary key and column are bound.
struct RowSeal {
    let key: SealingKey
    let table: StaticString

    func seal(_ value: JSON, id: [UInt8], column: StaticString) throws(MAMError) -> [UInt8] {
        try Cobblestone.seal(value.utf8, context: context(id, column), key: key)
    }

    /// The value; `.tampered` when it does not verify.
    func open(_ sealed: [UInt8], id: [UInt8], column: StaticString) throws(MAMError) -> JSON {
        do throws(MAMError) {
            return try JSON(
                parsing: try Cobblestone.open(sealed, context: context(id, column), key: key), limit: 64 << 20)
        } catch {
            throw MAMError(
                .tampered,
                "a row of table \(table) in the state does not verify: it was changed outside libmam; a successful check-in or a new enrollment replaces it",
                [("table", .string("\(table)"))])
        }
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
