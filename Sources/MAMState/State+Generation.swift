import MAMSupport

extension State {
    /// The database's generation. Without it nobody would learn of a wipe: where it is missing, or no count, nothing is read.
    static func generation(of database: Database) throws(MAMError) -> Int64 {
        let found = try database.first("SELECT value FROM meta WHERE name = 'generation'") {
            $0.isInteger(0) ? $0.integer(0) : -1
        }
        guard let found, (0..<Int64.max).contains(found) else { throw noGeneration(database) }
        return found
    }

    /// Note the next one, inside a transaction.
    static func setGeneration(_ generation: Int64, of database: Database) throws(MAMError) {
        let changed = try database.run(
            "UPDATE meta SET value = ? WHERE name = 'generation'", .integer(generation))
        guard changed == 1 else { throw noGeneration(database) }
    }

    private static func noGeneration(_ database: Database) -> MAMError {
        MAMError(
            .tampered,
            "\(database.path): its generation is missing or no number: it was changed outside libmam; restore the file from a copy",
            [("path", .string(database.path)), ("table", "meta")])
    }
}
