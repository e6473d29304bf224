import CSQLite

/// Rewrites every page of a host's encrypted database under the newest key, in one SQLite transaction: a kill leaves the database
/// as it was, and other connections continue.
public struct DatabaseRekeying {
    private let database: Database
    private let path: String
    private let vfs: String
    private let interrupts: InterruptSource
    private static let pages: Int32 = 256

    /// Open the database at a path, through a VFS that reads it.
    public init(_ path: String, through vfs: String, interrupts: InterruptSource) throws(MAMError) {
        (self.path, self.vfs, self.interrupts) = (path, vfs, interrupts)
        database = try Database(
            path: path, mode: .readWrite, busyTimeout: 2_000, interrupts: interrupts, vfs: vfs)
        // Fails if the VFS lacks the key, and recovers a hot journal.
        try database.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    }

    /// Rewrite the database if a page is under a former key. Returns whether one was.
    public func run() throws(MAMError) -> Bool {
        let hasLog = try database.first("PRAGMA journal_mode") { $0.text(0) ?? "" } == "wal"
        let isFormer = try formerPages() > 0
        // Pages of the WAL are counted and replaced only once they are in the database.
        if hasLog { try emptyLog() }
        guard try formerPages() > 0 else { return isFormer }
        if hasLog { try rewriteThroughLog() } else { try rewriteThroughJournal() }
        return true
    }

    private func formerPages() throws(MAMError) -> Int64 {
        try database.snapshot { () throws(MAMError) in
            try database.execute("SELECT 1 FROM sqlite_master LIMIT 1")
            return try database.first("PRAGMA mam_former_pages") { $0.integer(0) } ?? 0
        }
    }

    private func emptyLog() throws(MAMError) {
        guard try database.first("PRAGMA wal_checkpoint(TRUNCATE)", map: { $0.integer(0) }) == 0 else {
            throw MAMError(
                .busy, "\(path): is being read or written by others, so that its log cannot be emptied; try again",
                [("path", .string(path))])
        }
    }

    /// Copy from a second connection; the write lock keeps other writers away.
    private func rewriteThroughLog() throws(MAMError) {
        let reader = try Database(
            path: path, mode: .readOnly, busyTimeout: 2_000, interrupts: interrupts, vfs: vfs)
        try copy(from: reader, to: database)
        try emptyLog()
    }

    /// Copy through an encrypted temporary database, because a writer in journal mode excludes readers.
    private func rewriteThroughJournal() throws(MAMError) {
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        // This lock lasts until the connection is closed.
        try database.execute("BEGIN EXCLUSIVE; COMMIT")
        let temporary = try Database(path: "", mode: .create, interrupts: interrupts, vfs: vfs)
        try copy(from: database, to: temporary)
        try copy(from: temporary, to: database)
    }

    /// Copy page by page with the backup API, which keeps rowids.
    private func copy(from source: Database, to target: Database) throws(MAMError) {
        guard let backup = sqlite3_backup_init(target.connection, "main", source.connection, "main") else {
            throw target.failure(sqlite3_errcode(target.connection))
        }
        let wait = interrupts.beginWait()
        // Acquire the lock before the first page, so that the latest state is read.
        var result = sqlite3_backup_step(backup, 0)
        while result == SQLITE_OK, !wait.isInterrupted { result = sqlite3_backup_step(backup, DatabaseRekeying.pages) }
        sqlite3_backup_finish(backup)
        guard result != SQLITE_DONE else { return }
        if result == SQLITE_OK { throw .interrupted }
        throw target.failure(result)
    }
}
