import MAMDirectory
import MAMPostgreSQL
import MAMSupport

extension ServiceFile {
    /// Copy the SQLite database into an empty PostgreSQL database, in one transaction that is committed only where both have the same
    /// rows. Nothing is written to the file meanwhile. Returns the number of rows.
    public func migrate(to server: PostgreSQLTarget) throws(MAMError) -> Int64 {
        let (source, target) = (try openFile(), try PostgreSQLDatabase(server))
        // The key file has to be that of the database.
        let key = try StoreKey(path: keyPath)
        _ = try ServiceFile.store(source, key).signingKey(key)
        return try source.transaction { () throws(MAMError) in
            try target.structureTransaction { () throws(MAMError) in
                try PostgreSQLSchema(ServiceSchema.versions).create(in: target)
                var rows: Int64 = 0
                for table in try MigratedTable.all(of: source) { rows += try table.copy(from: source, to: target) }
                return rows
            }
        }
    }
}

/// A table that is copied to another database.
private struct MigratedTable {
    private let name: String
    private let columns: [(name: String, type: String)]

    /// The most values of one statement, and about the most bytes.
    private static let (mostValues, mostBytes) = (8192, 1 << 20)

    /// All tables, in the order in which they were made: a row that refers to another one comes after it.
    static func all(of source: Database) throws(MAMError) -> [MigratedTable] {
        let names = try source.all(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid"
        ) { $0.text(0) ?? "" }
        return try names.map { (name) throws(MAMError) in
            let columns = try source.all("SELECT name, type FROM pragma_table_info(?) ORDER BY cid", .text(name)) {
                (name: "\"\($0.text(0) ?? "")\"", type: $0.text(1) ?? "")
            }
            return MigratedTable(name: name, columns: columns)
        }
    }

    /// Copy all rows, and compare their number. Returns it.
    func copy(from source: Database, to target: PostgreSQLDatabase) throws(MAMError) -> Int64 {
        // Rows that the tables were made with.
        try target.run("DELETE FROM \(name)")
        var values: [SQLValue] = []
        var bytes = 0
        try source.query("SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(name)") {
            (row: Row) throws(MAMError) in
            for (column, (_, type)) in columns.enumerated() {
                let value = try value(of: row, Int32(column), type)
                bytes += row.byteCount(Int32(column))
                values.append(value)
            }
            guard values.count + columns.count > MigratedTable.mostValues || bytes > MigratedTable.mostBytes else {
                return
            }
            try insert(values, into: target)
            (values, bytes) = ([], 0)
        }
        if !values.isEmpty { try insert(values, into: target) }
        if columns.contains(where: { $0.name == "\"row\"" }) {
            // New rows get higher numbers.
            try target.run("SELECT setval(pg_get_serial_sequence('\(name)', 'row'), (SELECT max(row) FROM \(name)))")
        }
        let count = "SELECT count(*) FROM \(name)"
        let (before, after) = (
            try source.first(count) { (row: Row) in row.integer(0) }, try target.first(count) { $0.integer(0) }
        )
        guard let before, before == after else {
            throw MAMError(
                .storage, "\(target.path): table \(name) has \(after ?? 0) rows, and \(before ?? 0) in \(source.path)",
                [("path", .string(target.path)), ("table", .string(name))])
        }
        return before
    }

    private func value(of row: Row, _ column: Int32, _ type: String) throws(MAMError) -> SQLValue {
        if row.isNull(column) { return .null }
        switch type {
        case "INTEGER": return .integer(row.integer(column))
        case "BLOB": return .blob(row.blob(column))
        default:
            guard let text = row.text(column) else {
                throw MAMError(.storage, "table \(name), column \(columns[Int(column)].name): a text is not UTF-8")
            }
            return .text(text)
        }
    }

    private func insert(_ values: [SQLValue], into target: PostgreSQLDatabase) throws(MAMError) {
        let row = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
        let rows = [String](repeating: row, count: values.count / columns.count).joined(separator: ", ")
        try target.query(
            "INSERT INTO \(name) (\(columns.map(\.name).joined(separator: ", "))) VALUES \(rows)", values
        ) { _ in }
    }
}
