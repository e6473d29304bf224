import MAMSupport

extension FileStore {
    /// More rows than this fill so many pages that their file becomes shorter when they are gone.
    private static let short: Int64 = 1024
    /// Most rows of others that are worth writing anew.
    private static let few = 4096

    /// Forget an account's rows.
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
            .integer(FileStore.short)
        ) { $0.integer(0) } != nil
    }

    /// The rows of all others; nil where they are many.
    private func others(than account: AccountRowID) throws(MAMError) -> [[SQLValue]]? {
        let rows = try view.database.all(
            "SELECT directory, name, account, inode, record FROM files INDEXED BY files_by_inode WHERE account != ? LIMIT ?",
            .blob(account.bytes), .integer(Int64(FileStore.few + 1))
        ) { row -> [SQLValue] in
            [
                .integer(row.integer(0)), .integer(row.integer(1)), .blob(row.blob(2)), .integer(row.integer(3)),
                .blob(row.blob(4)),
            ]
        }
        return rows.count > FileStore.few ? nil : rows
    }

    /// Without a condition SQLite empties whole pages. They are not overwritten: ``State/truncateLog()`` writes what is left anew.
    private func empty() throws(MAMError) {
        try view.database.execute("PRAGMA secure_delete = OFF")
        defer { try? view.database.execute("PRAGMA secure_delete = ON") }
        try view.database.execute("DELETE FROM files")
    }
}
