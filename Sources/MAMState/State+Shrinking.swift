import MAMSupport

extension State {
    /// Pages that are left of a database after its index of files was emptied; one with more is not written anew.
    private static let shortPages: Int64 = 4096

    /// A short database with many free pages gives them back: those of a long index of files are free and not overwritten.
    static func shrink(_ database: Database) throws(MAMError) {
        let free = try database.first("PRAGMA freelist_count") { $0.integer(0) } ?? 0
        let all = try database.first("PRAGMA page_count") { $0.integer(0) } ?? 0
        guard free > 16, all &- free <= shortPages else { return }
        // What is left is built beside it first.
        try database.execute("PRAGMA temp_store = MEMORY; VACUUM")
    }
}
