/// A row of `sqlite_schema`.
struct SchemaObject: Equatable, Comparable {
    let type, name, table: String
    /// The SQL with white space normalised to single spaces.
    let sql: [UInt8]

    private init(_ type: String, _ name: String, of table: String, _ sql: [UInt8] = []) {
        (self.type, self.name, self.table, self.sql) = (type, name, table, sql)
    }

    static func < (one: SchemaObject, other: SchemaObject) -> Bool { (one.type, one.name) < (other.type, other.name) }

    /// The objects in a database.
    static func all(of database: Database) throws(MAMError) -> [SchemaObject] {
        try database.all("SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY type, name") {
            SchemaObject(
                $0.text(0) ?? "", $0.text(1) ?? "", of: $0.text(2) ?? "", spaced(Array(($0.text(3) ?? "").utf8)[...]))
        }
    }

    /// The objects that SQLite creates for `CREATE TABLE name (…)` or `CREATE INDEX name ON table (…)`; empty for other statements.
    /// Supports libmam's own schemas only; a temporary database that asks SQLite instead would cost a host 0.1 MiB.
    static func all(from statement: ArraySlice<UInt8>) -> [SchemaObject] {
        let sql = spaced(statement)
        let words = sql.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count > 4, words[0] == "CREATE" else { return [] }
        if words[1] == "INDEX" { return [SchemaObject("index", words[2], of: words[4], sql)] }
        guard words[1] == "TABLE" else { return [] }
        let table = words[2]
        var objects = [SchemaObject("table", table, of: table, sql)]
        // INTEGER PRIMARY KEY and the key of a WITHOUT ROWID table have no index of their own.
        let hasNumbers = !words.contains("WITHOUT")
        var indexes: Int64 = 0
        for at in 3..<words.count {
            let isKey = words[at] == "PRIMARY" && words[at - 1] != "INTEGER" && hasNumbers
            guard isKey || words[at].utf8.starts(with: "UNIQUE".utf8) else { continue }
            indexes += 1
            let number = String(decoding: decimalDigits(indexes), as: UTF8.self)
            objects.append(SchemaObject("index", "sqlite_autoindex_\(table)_\(number)", of: table))
        }
        if words.contains("AUTOINCREMENT,") {
            let sequence = "sqlite_sequence"
            objects.append(
                SchemaObject("table", sequence, of: sequence, Array("CREATE TABLE sqlite_sequence(name,seq)".utf8)))
        }
        return objects
    }

    private static func spaced(_ sql: ArraySlice<UInt8>) -> [UInt8] {
        let space = UInt8(ascii: " ")
        var bytes: [UInt8] = []
        for byte in sql {
            let isWhite = byte == space || (9...13).contains(byte)
            if !isWhite { bytes.append(byte) } else if let last = bytes.last, last != space { bytes.append(space) }
        }
        if bytes.last == space { bytes.removeLast() }
        return bytes
    }
}
