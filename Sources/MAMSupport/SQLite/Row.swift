import CSQLite

/// A row of a query; valid inside the closure that receives it.
public struct Row {
    let statement: OpaquePointer

    /// The integer in a column; 0 for NULL.
    public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    /// Whether the integer in a column is nonzero.
    public func bool(_ column: Int32) -> Bool { integer(column) != 0 }
    /// Whether a column has an integer.
    public func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_INTEGER }
    /// Whether a column is NULL.
    public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// The text in a column; nil for NULL and for invalid UTF-8, which is never repaired.
    public func text(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(statement, column) else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The bytes in a column; empty for NULL.
    public func blob(_ column: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        append(column, to: &bytes)
        return bytes
    }

    /// The number of bytes that ``append(_:to:)`` appends.
    public func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(statement, column)) }

    /// Append the bytes in a column to an array.
    public func append(_ column: Int32, to bytes: inout [UInt8]) {
        guard let start = sqlite3_column_blob(statement, column) else { return }
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: byteCount(column)))
    }
}
