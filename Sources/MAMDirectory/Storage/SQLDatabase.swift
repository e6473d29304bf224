import MAMSupport

/// A connection to the SQL database that holds a directory. SQLite and PostgreSQL serve it; nothing else of a database is used here.
/// Statements are of the SQL that both know, with parameters `?` or `?1`; `IS ?` compares NULL as well.
package protocol SQLDatabase {
    /// The path or name that messages give.
    var path: String { get }

    /// Run one statement and pass each row to `row`. Returns the number of changed rows.
    @discardableResult
    func query(
        _ sql: String, _ values: [SQLValue], row: (any SQLRow) throws(MAMError) -> Void
    ) throws(MAMError) -> Int

    /// Insert a row into a table whose rows have numbers (`row`). Returns its number; nil where `ON CONFLICT DO NOTHING` inserts none.
    func insert(_ sql: String, _ values: [SQLValue]) throws(MAMError) -> Int64?

    /// Run `body` in a transaction that may write. One runs at a time. Where others are in its way it is taken back and run again, so
    /// that it changes nothing but the database.
    func transaction<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T
    /// Run `body`, which writes rows of one registration, device or account and does not count as a change, in a transaction beside
    /// others. It may run again, as in ``transaction(_:)``.
    func rowTransaction<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T
    /// Run `body` in a transaction that reads. It may run again.
    func snapshot<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T
    /// Run `body` and roll back its changes, even if it succeeds.
    func rolledBack<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T

    /// The damage of the stored data, on one line; nil where none is found.
    func damage() throws(MAMError) -> String?
}

/// A row of a query; valid inside the closure that receives it. Columns are numbered from 0.
package protocol SQLRow {
    /// The integer in a column; 0 for NULL.
    func integer(_ column: Int32) -> Int64
    /// Whether a column has an integer.
    func isInteger(_ column: Int32) -> Bool
    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool
    /// The text in a column; nil for NULL and for invalid UTF-8.
    func text(_ column: Int32) -> String?
    /// The number of bytes that ``append(_:to:)`` appends.
    func byteCount(_ column: Int32) -> Int
    /// Append the bytes in a column to an array.
    func append(_ column: Int32, to bytes: inout [UInt8])
}

extension SQLDatabase {
    /// Run one statement. Returns the number of changed rows.
    @discardableResult
    package func run(_ sql: String, _ values: SQLValue...) throws(MAMError) -> Int {
        try query(sql, values) { (_) throws(MAMError) in }
    }

    /// Insert a row into a table whose rows have numbers. Returns its number.
    func insert(_ sql: String, _ values: SQLValue...) throws(MAMError) -> Int64 { try insert(sql, values) ?? 0 }

    /// Run one statement without values and pass each row to `row`.
    func query(_ sql: String, row: (any SQLRow) throws(MAMError) -> Void) throws(MAMError) {
        try query(sql, [], row: row)
    }

    /// Run one statement and map its rows.
    package func all<T>(
        _ sql: String, _ values: SQLValue..., map: (any SQLRow) throws(MAMError) -> T
    ) throws(MAMError) -> [T] {
        var result: [T] = []
        try query(sql, values) { (row) throws(MAMError) in result.append(try map(row)) }
        return result
    }

    /// Run one statement and map its first row; nil without one.
    package func first<T>(
        _ sql: String, _ values: SQLValue..., map: (any SQLRow) throws(MAMError) -> T
    ) throws(MAMError) -> T? {
        var result: T?
        try query(sql, values) { (row) throws(MAMError) in if result == nil { result = try map(row) } }
        return result
    }
}

extension SQLRow {
    /// Whether the integer in a column is nonzero.
    package func bool(_ column: Int32) -> Bool { integer(column) != 0 }
    /// The bytes in a column; empty for NULL.
    package func blob(_ column: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        append(column, to: &bytes)
        return bytes
    }
    /// A boolean for JSON.
    func jsonBool(_ column: Int32) -> JSON { .bool(bool(column)) }
    /// Text for JSON; null for NULL.
    func jsonText(_ column: Int32) -> JSON { .optional(text(column)) }
    /// A time for JSON; null for NULL.
    func jsonTime(_ column: Int32) -> JSON {
        isNull(column) ? .null : .string(Instant(milliseconds: integer(column)).rfc3339)
    }
}

extension Row: SQLRow {}

extension Database: SQLDatabase {
    package func query(
        _ sql: String, _ values: [SQLValue], row: (any SQLRow) throws(MAMError) -> Void
    ) throws(MAMError) -> Int {
        try query(sql, values) { (found: Row) throws(MAMError) in try row(found) }
        return changedRows
    }

    package func insert(_ sql: String, _ values: [SQLValue]) throws(MAMError) -> Int64? {
        try query(sql, values) { (_: any SQLRow) in } > 0 ? lastInsertedRow : nil
    }

    package func rowTransaction<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T { try transaction(body) }

    package func damage() throws(MAMError) -> String? {
        let finding = try first("PRAGMA integrity_check(1)") { (row: Row) in row.text(0) ?? "" } ?? ""
        // The first line names the database.
        return finding == "ok" ? nil : finding.split(separator: "\n").last.map(String.init) ?? "no answer"
    }
}
