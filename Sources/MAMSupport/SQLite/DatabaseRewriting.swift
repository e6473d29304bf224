import CSQLite

/// An encrypted database of a host, every page of which is written again as it is: under the newest key. SQLite does it, in one
/// transaction, so that a kill leaves the database as it was, and who else has it open goes on.
public struct DatabaseRewriting {
    private let database: Database
    private let path: String
    private let system: String
    private let interrupts: Interrupts
    private static let pages: Int32 = 256

    /// Open what is at a path, through a file system that reads it.
    public init(_ path: String, through system: String, interrupts: Interrupts) throws(MAMError) {
        (self.path, self.system, self.interrupts) = (path, system, interrupts)
        database = try Database(
            path: path, mode: .readWrite, busyTimeout: 2_000, interrupts: interrupts, system: system)
        // It also finds out whether the file system has the key; what a killed process left is put right.
        try database.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    }

    /// Write it anew where a page of it is under a former key; whether that was so.
    public func run() throws(MAMError) -> Bool {
        let hasLog = try database.first("PRAGMA journal_mode") { $0.text(0) ?? "" } == "wal"
        let isFormer = try formerPages() > 0
        // What the log holds has to be in the database, to be looked at and to be replaced.
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

    /// From what a second connection reads: nobody writes once the first one has begun.
    private func rewriteThroughLog() throws(MAMError) {
        let reader = try Database(
            path: path, mode: .readOnly, busyTimeout: 2_000, interrupts: interrupts, system: system)
        try copy(from: reader, to: database)
        try emptyLog()
    }

    /// By way of a temporary file, which is encrypted: who writes to a database with a journal lets nobody read it.
    private func rewriteThroughJournal() throws(MAMError) {
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        // Held until this connection is closed.
        try database.execute("BEGIN EXCLUSIVE; COMMIT")
        let temporary = try Database(path: "", mode: .create, interrupts: interrupts, system: system)
        try copy(from: database, to: temporary)
        try copy(from: temporary, to: database)
    }

    /// Page by page, as they are: rows keep their numbers.
    private func copy(from source: Database, to target: Database) throws(MAMError) {
        guard let backup = sqlite3_backup_init(target.connection, "main", source.connection, "main") else {
            throw target.failure(sqlite3_errcode(target.connection))
        }
        let wait = interrupts.begin()
        // First the lock alone: what is read then is the latest.
        var result = sqlite3_backup_step(backup, 0)
        while result == SQLITE_OK, !wait.isOver { result = sqlite3_backup_step(backup, DatabaseRewriting.pages) }
        sqlite3_backup_finish(backup)
        guard result != SQLITE_DONE else { return }
        if result == SQLITE_OK { throw .interrupted }
        throw target.failure(result)
    }
}
