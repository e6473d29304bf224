/// A row of `sqlite_schema`.
struct SchemaObject: Equatable, Comparable {
    let type, name, table: String
    /// Bytes with one space where there was white space: what a character is would take tables into memory.
    let sql: [UInt8]

    static func < (one: SchemaObject, other: SchemaObject) -> Bool { (one.type, one.name) < (other.type, other.name) }

    /// What a database has.
    static func all(of database: Database) throws(MAMError) -> [SchemaObject] {
        try database.all("SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY type, name") {
            SchemaObject(
                type: $0.text(0) ?? "", name: $0.text(1) ?? "", table: $0.text(2) ?? "",
                sql: spaced(($0.text(3) ?? "").utf8))
        }
    }

    /// What SQLite makes of `CREATE TABLE name (…)` or `CREATE INDEX name ON table (…)`; nothing of another statement. It is
    /// enough for our own statements, and a database made to ask SQLite would cost a host 0.1 MiB.
    static func all(from statement: Substring.UTF8View) -> [SchemaObject] {
        let sql = spaced(statement)
        let words = sql.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count > 4, words[0] == "CREATE" else { return [] }
        if words[1] == "INDEX" { return [SchemaObject(type: "index", name: words[2], table: words[4], sql: sql)] }
        guard words[1] == "TABLE" else { return [] }
        let name = words[2].hasPrefix("main.") ? String(words[2].dropFirst(5)) : words[2]
        let rest = words.dropFirst(3).joined(separator: " ")
        var objects = [
            SchemaObject(type: "table", name: name, table: name, sql: Array("CREATE TABLE \(name) \(rest)".utf8))
        ]
        // The rows' number and the key of a table without rows' numbers are the table itself.
        let hasRows = !words.contains("WITHOUT")
        var indexes = 0
        for (before, word) in zip(words, words.dropFirst()) where word.hasPrefix("UNIQUE") || word.hasSuffix("PRIMARY")
        {
            guard word.hasPrefix("UNIQUE") || hasRows && before != "INTEGER" else { continue }
            indexes += 1
            objects.append(
                SchemaObject(type: "index", name: "sqlite_autoindex_\(name)_\(indexes)", table: name, sql: []))
        }
        if words.contains(where: { $0.hasPrefix("AUTOINCREMENT") }) {
            let sequence = "sqlite_sequence"
            objects.append(
                SchemaObject(
                    type: "table", name: sequence, table: sequence,
                    sql: Array("CREATE TABLE \(sequence)(name,seq)".utf8)))
        }
        return objects
    }

    private static func spaced(_ sql: some Sequence<UInt8>) -> [UInt8] {
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
