extension SchemaMigrations {
    /// Fail where tables and indexes are not those of a version, or where triggers or views exist: they could veto or change
    /// writes, or make a read endless. The result is the schema cookie, which changes with the schema.
    @discardableResult
    public func check(_ database: Database, version: Int64) throws(MAMError) -> Int64 {
        // Neither statement reads a user table.
        let cookie = try database.first("PRAGMA schema_version") { $0.integer(0) } ?? 0
        let found = try SchemaObject.all(of: database)
        let expected = objects(at: version)
        guard found != expected else { return cookie }
        let other = found.first { !expected.contains($0) } ?? expected.first { !found.contains($0) }
        let name = other?.name ?? ""
        throw MAMError(
            .tampered,
            "\(database.path): its schema was changed outside libmam (\(other?.type ?? "order") \(name)); put its newest copy back",
            [("path", .string(database.path)), ("table", .string(name))])
    }

    /// The objects of a database of a version.
    func objects(at version: Int64) -> [SchemaObject] {
        steps(to: version).flatMap { Array($0.utf8).split(separator: UInt8(ascii: ";")) }
            .flatMap(SchemaObject.all(from:)).sorted()
    }
}
