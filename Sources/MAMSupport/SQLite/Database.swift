import CPlatform
import CSQLite

/// A connection to an SQLite database. One thread at a time: its owner brings the lock, because the host may have
/// configured SQLite without threads.
public final class Database {
    /// The file.
    public let path: String
    let connection: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]
    // Of a brief connection: what was run once, and is kept when it is run again. Nil where everything is kept.
    private var ranOnce: Set<String>?
    let patience: DatabasePatience

    /// How to open a file.
    public enum Mode: Sendable {
        case readOnly
        case readWrite
        /// Make it when it is missing.
        case create
    }

    /// Open a file; waits at most `busyTimeout` milliseconds for other processes in each statement. `system`: a host's database,
    /// through a file system of that name; URIs mean something in its statements. `isBrief`: for a few statements, most of which
    /// run once.
    public init(
        path: String, mode: Mode, busyTimeout: Int32 = 30_000, interrupts: Interrupts? = nil, system: String? = nil,
        isBrief: Bool = false
    ) throws(MAMError) {
        let flags =
            switch mode {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let isGrowing = platform_growing_begin()
        defer { platform_growing_end(isGrowing) }
        // With a cache of its own, whatever the host chose for its connections: shared, one would wait for another.
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(
            path, &handle,
            flags | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
                | (system == nil ? 0 : SQLITE_OPEN_URI), system)
        guard result == SQLITE_OK, let handle else {
            let error = Database.error(result, handle, path)
            sqlite3_close_v2(handle)
            throw error
        }
        self.path = path
        self.connection = handle
        self.ranOnce = isBrief ? [] : nil
        self.patience = DatabasePatience(busyTimeout, interrupts)
        patience.attach(to: handle)
        // A file that somebody prepared must not run code or reach outside through its schema.
        sqlite3_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        sqlite3_db_config_int(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Nor fill the host's memory.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Database.longestValue)
        try checkCompanions()
    }

    /// Reading a pipe that lies where SQLite looks for a log never ends. Before the first statement: that is when it looks.
    private func checkCompanions() throws(MAMError) {
        // With links resolved, as SQLite uses it; empty in memory.
        guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0 else { return }
        for suffix in ["-journal", "-wal", "-shm"] {
            let companion = String(nulTerminated: name) + suffix
            var facts = platform_file_facts_t()
            guard platform_facts_of_name(companion, &facts) == 0, facts.mode & 0o170000 != 0o100000 else { continue }
            throw .notAFile(companion, mode: facts.mode)
        }
    }

    deinit {
        let isGrowing = platform_growing_begin()
        defer { platform_growing_end(isGrowing) }
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(connection)
    }

    /// The file with links resolved, as SQLite uses it.
    public var resolvedPath: String {
        guard let name = sqlite3_db_filename(connection, "main"), name.pointee != 0 else { return path }
        return String(nulTerminated: name)
    }

    /// Whether another file, or none, is at the path now.
    public var hasMoved: Bool {
        var moved: Int32 = 0
        return sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved != 0
    }

    /// How long a statement waits for other processes.
    public func setBusyTimeout(milliseconds: Int32) { patience.milliseconds = Int64(milliseconds) }

    /// Run statements without values or results, separated by semicolons.
    public func execute(_ sql: String) throws(MAMError) {
        patience.begin()
        let isGrowing = platform_growing_begin()
        defer { platform_growing_end(isGrowing) }
        let result = sqlite3_exec(connection, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw failure(result) }
    }

    /// Give a PRAGMA of the file a number.
    public func set(_ pragma: StaticString, to value: Int64) throws(MAMError) {
        try execute("PRAGMA \(pragma) = \(String(decoding: decimalDigits(value), as: UTF8.self))")
    }

    /// Run one statement; the result is how many rows it changed.
    @discardableResult
    public func run(_ sql: String, _ values: SQLValue...) throws(MAMError) -> Int {
        try query(sql, values) { (_) throws(MAMError) in }
        return Int(sqlite3_changes(connection))
    }

    /// Run one statement and look at each row.
    public func query(_ sql: String, _ values: [SQLValue] = [], row: (Row) throws(MAMError) -> Void) throws(MAMError) {
        patience.begin()
        let isGrowing = platform_growing_begin()
        defer { platform_growing_end(isGrowing) }
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

    /// The rows, each turned into a value.
    public func all<T>(
        _ sql: String, _ values: SQLValue..., map: (Row) throws(MAMError) -> T
    ) throws(MAMError) -> [T] {
        var result: [T] = []
        try query(sql, values) { row throws(MAMError) in result.append(try map(row)) }
        return result
    }

    /// The first row, turned into a value; nil when there is none.
    public func first<T>(
        _ sql: String, _ values: SQLValue..., map: (Row) throws(MAMError) -> T
    ) throws(MAMError) -> T? {
        var result: T?
        try query(sql, values) { row throws(MAMError) in if result == nil { result = try map(row) } }
        return result
    }

    /// All or nothing. Always `BEGIN IMMEDIATE`: a deferred transaction that comes to write fails at once when another
    /// process wrote, whatever the timeout.
    public func transaction<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try enclosed("BEGIN IMMEDIATE", body)
    }

    /// All reads see one state of the database.
    public func snapshot<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try enclosed("BEGIN", body)
    }

    /// Whatever it changes is undone, whether it succeeds or not.
    public func undone<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
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
        // SQLITE_TRANSIENT: SQLite copies the bytes.
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
