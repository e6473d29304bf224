extension SchemaVersions {
    /// Refuse a database whose tables and indexes are not those of a version, or that has triggers or views: they would veto
    /// or change what is written, or make a read last for ever. The result is a number that stays until the schema changes.
    @discardableResult
    public func check(_ database: Database, version: Int64) throws(MAMError) -> Int64 {
        // Neither of the two reads a table through the schema.
        let cookie = try database.first("PRAGMA schema_version") { $0.integer(0) } ?? 0
        let found = try SchemaVersions.objects(of: database)
        let expected = try objects(at: version)
        guard found != expected else { return cookie }
        let other = found.first { !expected.contains($0) } ?? expected.first { !found.contains($0) }
        let name = other?.name ?? ""
        throw MAMError(
            .tampered,
            "\(database.path): its schema was changed outside libmam (\(other?.type ?? "order") \(name)); restore the file from a copy",
            [("path", .string(database.path)), ("table", .string(name))])
    }

    private struct Object: Equatable {
        let type, name, table: String
        let sql: [Substring]
    }

    /// As SQLite itself writes them down.
    private func objects(at version: Int64) throws(MAMError) -> [Object] {
        let model = try Database(path: ":memory:", mode: .create)
        for step in steps(to: version) { try model.execute(step) }
        return try SchemaVersions.objects(of: model)
    }

    private static func objects(of database: Database) throws(MAMError) -> [Object] {
        try database.all("SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY type, name") {
            Object(
                type: $0.text(0) ?? "", name: $0.text(1) ?? "", table: $0.text(2) ?? "",
                sql: ($0.text(3) ?? "").split(whereSeparator: \.isWhitespace))
        }
    }
}
