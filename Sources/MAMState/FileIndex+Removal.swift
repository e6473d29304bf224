import MAMSupport

extension FileIndex {
    /// Above this number of rows, deleting them frees enough pages to shrink the file.
    private static let short: Int64 = 1024
    /// The largest number of other rows that are copied.
    private static let few = 4096

    /// Delete all rows of an account.
    public func removeAll(of account: AccountRowID) throws(MAMError) {
        if try isLong(account), let others = try others(than: account) {
            try empty()
            for row in others {
                try view.database.query("INSERT INTO files VALUES (?, ?, ?, ?, ?)", row) { (_) throws(MAMError) in }
            }
        } else {
            try view.database.run("DELETE FROM files WHERE account = ?", .blob(account.bytes))
        }
        try removeEmptyDirectories()
    }

    private func isLong(_ account: AccountRowID) throws(MAMError) -> Bool {
        try view.database.first(
            "SELECT 1 FROM files INDEXED BY files_by_inode WHERE account = ? LIMIT 1 OFFSET ?", .blob(account.bytes),
            .integer(FileIndex.short)
        ) { $0.integer(0) } != nil
    }

    /// The rows of all other accounts; nil where there are too many.
    private func others(than account: AccountRowID) throws(MAMError) -> [[SQLValue]]? {
        let rows = try view.database.all(
            "SELECT directory, name, account, inode, record FROM files INDEXED BY files_by_inode WHERE account != ? LIMIT ?",
            .blob(account.bytes), .integer(Int64(FileIndex.few + 1))
        ) { row -> [SQLValue] in
            [
                .integer(row.integer(0)), .integer(row.integer(1)), .blob(row.blob(2)), .integer(row.integer(3)),
                .blob(row.blob(4)),
            ]
        }
        return rows.count > FileIndex.few ? nil : rows
    }

    /// Without a WHERE clause SQLite frees whole pages without overwriting them; ``State/truncateWAL()`` rewrites the database
    /// afterwards.
    private func empty() throws(MAMError) {
        try view.database.execute("PRAGMA secure_delete = OFF")
        defer { try? view.database.execute("PRAGMA secure_delete = ON") }
        try view.database.execute("DELETE FROM files")
    }
}
