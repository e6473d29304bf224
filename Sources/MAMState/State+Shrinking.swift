import MAMSupport

extension State {
    /// The largest database that is rewritten, in pages without free ones.
    private static let shortPages: Int64 = 4096

    /// Rewrite a small database with many free pages, since those of a large file index were freed without being overwritten.
    static func shrink(_ database: Database) throws(MAMError) {
        let free = try database.first("PRAGMA freelist_count") { $0.integer(0) } ?? 0
        let all = try database.first("PRAGMA page_count") { $0.integer(0) } ?? 0
        guard free > 16, all &- free <= shortPages else { return }
        // VACUUM builds the copy in a temporary database.
        try database.execute("PRAGMA temp_store = MEMORY; VACUUM")
    }
}
