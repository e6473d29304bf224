import CSQLite

extension Database {
    /// Return a copy of the database in memory, without writing to the file. Fails if the file has more than `limit` bytes.
    public func copyInMemory(limit: Int64) throws(MAMError) -> Database {
        let copy = try Database(path: ":memory:", mode: .create)
        try snapshot { () throws(MAMError) in
            let pages = try first("PRAGMA page_count") { $0.integer(0) } ?? 0
            let pageSize = try first("PRAGMA page_size") { $0.integer(0) } ?? 0
            let (size, overflows) = pages.multipliedReportingOverflow(by: pageSize)
            guard !overflows, size <= limit else {
                throw MAMError(
                    .argument,
                    "\(path): holds \(pages) pages of \(pageSize) bytes; at most \(limit) bytes are copied into memory",
                    [("argument", "path"), ("path", .string(path))])
            }
            guard let backup = sqlite3_backup_init(copy.connection, "main", connection, "main") else {
                throw copy.failure(sqlite3_errcode(copy.connection))
            }
            let result = sqlite3_backup_step(backup, -1)
            sqlite3_backup_finish(backup)
            guard result == SQLITE_DONE else { throw failure(result) }
        }
        return copy
    }
}
