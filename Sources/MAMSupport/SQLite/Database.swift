import CFiles
import CProcess
import CSQLite

/// A connection to an SQLite database. Not thread-safe: the owner locks, because the host may have configured SQLite as
/// single-threaded.
public final class Database {
    /// The path of the file.
    public let path: String
    let connection: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]
    // With `isShortLived`, SQL that was run once; the statement is cached when it is run again. Without, nil: every statement is
    // cached.
    private var ranOnce: Set<String>?
    let busyHandler: BusyHandler

    /// The mode in which a file is opened.
    public enum Mode: Sendable {
        case readOnly
        case readWrite
        /// Create a missing file.
        case create
    }

    /// Open a file. Each statement waits at most `busyTimeout` milliseconds for locks. `vfs` names the VFS of a host's database,
    /// and enables URIs in its statements. `isShortLived` is for a connection that runs most of its statements once.
    public init(
        path: String, mode: Mode, busyTimeout: Int32 = 30_000, interrupts: InterruptSource? = nil, vfs: String? = nil,
        isShortLived: Bool = false
    ) throws(MAMError) {
        let flags =
            switch mode {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let isGrowing = process_sigxfsz_block()
        defer { process_sigxfsz_unblock(isGrowing) }
        // A private cache, even if the host enabled the shared cache: connections would wait for each other.
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(
            path, &handle,
            flags | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
                | (vfs == nil ? 0 : SQLITE_OPEN_URI), vfs)
        guard result == SQLITE_OK, let handle else {
            let error = Database.error(result, handle, path)
            sqlite3_close_v2(handle)
            throw error
        }
        self.path = path
        self.connection = handle
        self.ranOnce = isShortLived ? [] : nil
        self.busyHandler = BusyHandler(busyTimeout, interrupts)
        busyHandler.attach(to: handle)
        // The schema of a foreign file must not run code or reach outside.
        sqlite3_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        sqlite3_db_config_int(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Nor may it exhaust the host's memory.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Database.maximumValueLength)
        try checkSidecars()
    }

    /// Refuse sidecars that are not regular files, since reading a named pipe would block forever. Called before the first
    /// statement, which is when SQLite opens them.
    private func checkSidecars() throws(MAMError) {
        // The path with links resolved, as SQLite uses it; empty for a database in memory.
        guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0 else { return }
        for suffix in ["-journal", "-wal", "-shm"] {
            let sidecar = String(repairing: name) + suffix
            var facts = files_stat_t()
            guard files_lstat(sidecar, &facts) == 0, facts.mode & 0o170000 != 0o100000 else { continue }
            throw .notAFile(sidecar, mode: facts.mode)
        }
    }

    deinit {
        let isGrowing = process_sigxfsz_block()
        defer { process_sigxfsz_unblock(isGrowing) }
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(connection)
    }

    /// The path with links resolved, as SQLite uses it.
    public var resolvedPath: String {
        guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0 else { return path }
        return String(repairing: name)
    }

    /// Whether the path no longer leads to the open file.
    public var hasMoved: Bool {
        var moved: Int32 = 0
        return sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved != 0
    }

    /// Set the time for which a statement waits for locks.
    public func setBusyTimeout(milliseconds: Int32) { busyHandler.milliseconds = Int64(milliseconds) }

    /// Run statements without values or results, separated by semicolons.
    public func execute(_ sql: String) throws(MAMError) {
        busyHandler.begin()
        let isGrowing = process_sigxfsz_block()
        defer { process_sigxfsz_unblock(isGrowing) }
        let result = sqlite3_exec(connection, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Set a PRAGMA to a number.
    public func set(_ pragma: StaticString, to value: Int64) throws(MAMError) {
        try execute("PRAGMA \(pragma) = \(String(decoding: decimalDigits(value), as: UTF8.self))")
    }

    /// Run one statement. Returns the number of changed rows.
    @discardableResult
    public func run(_ sql: String, _ values: SQLValue...) throws(MAMError) -> Int {
        try query(sql, values) { (_) throws(MAMError) in }
        return changedRows
    }

    /// The number of rows that the latest statement changed.
    public var changedRows: Int { Int(sqlite3_changes(connection)) }

    /// Run one statement and pass each row to `row`.
    public func query(_ sql: String, _ values: [SQLValue] = [], row: (Row) throws(MAMError) -> Void) throws(MAMError) {
        busyHandler.begin()
        let isGrowing = process_sigxfsz_block()
        defer { process_sigxfsz_unblock(isGrowing) }
        let (statement, isKept) = try prepare(sql)
        defer {
            if isKept {
                sqlite3_reset(statement)
                sqlite3_clear_bindings(statement)
            } else {
                sqlite3_finalize(statement)
            }
        }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index) + 1, of: statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try row(Row(statement: statement))
            case SQLITE_DONE: return
            case let result: throw failure(result)
            }
        }
    }

    /// Run one statement and map its rows.
    @inlinable
    public func all<T>(
        _ sql: String, _ values: SQLValue..., map: (Row) throws(MAMError) -> T
    ) throws(MAMError) -> [T] {
        var result: [T] = []
        try query(sql, values) { row throws(MAMError) in result.append(try map(row)) }
        return result
    }

    /// Run one statement and map its first row; nil without one.
    @inlinable
    public func first<T>(
        _ sql: String, _ values: SQLValue..., map: (Row) throws(MAMError) -> T
    ) throws(MAMError) -> T? {
        var result: T?
        try query(sql, values) { row throws(MAMError) in if result == nil { result = try map(row) } }
        return result
    }

    /// Run `body` in a transaction. It begins with `BEGIN IMMEDIATE`, because a deferred transaction fails without waiting when it
    /// comes to write after another process wrote.
    public func transaction<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try enclosed("BEGIN IMMEDIATE", body)
    }

    /// Run `body` in a read transaction.
    public func snapshot<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try enclosed("BEGIN", body)
    }

    /// Run `body` and roll back its changes, even if it succeeds.
    public func rolledBack<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try execute("BEGIN IMMEDIATE")
        let result: Result<T, MAMError>
        do throws(MAMError) { result = .success(try body()) } catch { result = .failure(error) }
        try execute("ROLLBACK")
        return try result.get()
    }

    private func enclosed<T>(_ begin: String, _ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try execute(begin)
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// The rowid of the latest insert.
    public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(connection) }

    private func prepare(_ sql: String) throws(MAMError) -> (statement: OpaquePointer, isKept: Bool) {
        if let statement = statements[sql] { return (statement, true) }
        let isKept = ranOnce?.insert(sql).inserted != true
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v3(
            connection, sql, -1, isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &statement, nil)
        guard result == SQLITE_OK, let statement else { throw failure(result) }
        if isKept { statements[sql] = statement }
        return (statement, isKept)
    }

    private func bind(_ value: SQLValue, at index: Int32, of statement: OpaquePointer) throws(MAMError) {
        // SQLITE_TRANSIENT makes SQLite copy the bytes.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let result =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .text(let text):
                sqlite3_bind_text64(statement, index, text, UInt64(text.utf8.count), transient, UInt8(SQLITE_UTF8))
            case .blob(let bytes):
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : bytes.withUnsafeBytes {
                        sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), transient)
                    }
            }
        guard result == SQLITE_OK else { throw failure(result) }
    }
}
