import CPostgreSQL
import CProcess
import MAMDirectory
import MAMSupport

/// A connection to a PostgreSQL database, for one thread at a time. A lost connection is made again with the next transaction. Statements
/// of transactions have no names, so that a pooler may give each transaction another connection of its own.
package final class PostgreSQLDatabase: SQLDatabase {
    private let target: PostgreSQLTarget
    private let library: postgresql_library_t
    private var connection: OpaquePointer?
    private var translations: [String: String] = [:]
    private var prepared = PostgreSQLPrepared()
    private var isInTransaction = false
    /// Why the latest statement failed.
    private var failure = PostgreSQLFailure.other
    /// The time of the latest connection that failed: for a second the next ones fail at once.
    private var refused: Int64?

    /// A transaction that conflicts with others is begun so many times at most.
    private static let attempts = 10

    /// A database, which is connected on first use.
    package init(_ target: PostgreSQLTarget) throws(MAMError) {
        self.target = target
        library = try PostgreSQLTarget.library()
    }

    deinit { library.finish(connection) }

    package var path: String { target.name }

    // MARK: Statements

    @discardableResult
    package func query(
        _ sql: String, _ values: [SQLValue], row: (any SQLRow) throws(MAMError) -> Void
    ) throws(MAMError) -> Int {
        try query(sql, PostgreSQLValues(values), row)
    }

    /// Run one statement whose first values are lists. Returns the number of changed rows.
    @discardableResult
    package func run(_ sql: String, _ lists: [PostgreSQLList], _ values: SQLValue...) throws(MAMError) -> Int {
        try query(sql, PostgreSQLValues(values, after: lists)) { (_) throws(MAMError) in }
    }

    /// Run one statement outside of transactions, again and again, and pass each row to `row`. It is planned once for a connection.
    package func queryPrepared(
        _ sql: String, _ list: PostgreSQLList, row: (any SQLRow) throws(MAMError) -> Void
    ) throws(MAMError) {
        let values = try PostgreSQLValues([], after: [list])
        let connection = try connected()
        if let name = try preparedName(sql, values, connection) {
            let result = values.run(prepared: name, library, connection)
            guard PostgreSQLPrepared.isStale(sqlState: sqlState(result)) else {
                _ = try read(result, row)
                return
            }
            library.clear(result)
            prepared.refuse()
        }
        _ = try query(sql, values, row)
    }

    /// The name of a statement, which is prepared where it was not; nil where it has to run without one.
    private func preparedName(
        _ sql: String, _ values: PostgreSQLValues, _ connection: OpaquePointer
    ) throws(MAMError) -> String? {
        guard !prepared.isRefused else { return nil }
        if let known = prepared.name(sql) { return known }
        let name = try PostgreSQLPrepared.newName()
        let result = values.prepare(name, translated(sql), library, connection)
        defer { library.clear(result) }
        guard library.result_status(result) == Int32(POSTGRESQL_COMMAND_OK) else {
            // The statement itself then says why.
            if library.status(connection) == 0 { prepared.refuse() }
            return nil
        }
        prepared.keep(sql, name)
        return name
    }

    private func query(
        _ sql: String, _ values: PostgreSQLValues, _ row: (any SQLRow) throws(MAMError) -> Void
    ) throws(MAMError) -> Int {
        let connection = try connected()
        return try read(values.run(translated(sql), library, connection), row)
    }

    private func read(
        _ result: OpaquePointer?, _ row: (any SQLRow) throws(MAMError) -> Void
    ) throws(MAMError) -> Int {
        defer { library.clear(result) }
        try check(result)
        guard let result else { return 0 }
        for index in 0..<library.row_count(result) {
            try row(PostgreSQLRow(library: library, result: result, row: index))
        }
        return library.changed_rows(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    package func insert(_ sql: String, _ values: [SQLValue]) throws(MAMError) -> Int64? {
        var inserted: Int64?
        try query(sql + " RETURNING row", values) { inserted = $0.integer(0) }
        return inserted
    }

    /// Run statements without values or results, separated by semicolons.
    package func execute(_ sql: String) throws(MAMError) {
        let result = library.run(try connected(), sql)
        defer { library.clear(result) }
        try check(result)
    }

    package func damage() throws(MAMError) -> String? { nil }

    private func translated(_ sql: String) -> String {
        if let known = translations[sql] { return known }
        let statement = PostgreSQLStatement.translated(sql)
        translations[sql] = statement
        return statement
    }

    private func check(_ result: OpaquePointer?) throws(MAMError) {
        let status = library.result_status(result)
        guard status != Int32(POSTGRESQL_COMMAND_OK), status != Int32(POSTGRESQL_TUPLES_OK) else { return }
        let state = sqlState(result)
        guard library.status(connection) == 0 else {
            let message = PostgreSQLDatabase.line(library.error(connection))
            disconnect()
            failure = .lost
            throw PostgreSQLDatabase.lost(message, path)
        }
        failure = PostgreSQLFailure(sqlState: state)
        // Without the detail, which has values.
        let message = PostgreSQLDatabase.line(library.result_field(result, Int32(POSTGRESQL_MESSAGE)))
        throw PostgreSQLDatabase.error(state, message, path)
    }

    private func sqlState(_ result: OpaquePointer?) -> String {
        library.result_field(result, Int32(POSTGRESQL_SQLSTATE)).map { String(cString: $0) } ?? ""
    }

    // MARK: Connection

    private func disconnect() {
        library.finish(connection)
        connection = nil
        prepared.forget()
    }

    private func connected() throws(MAMError) -> OpaquePointer {
        if let connection, library.status(connection) == 0 { return connection }
        guard !isInTransaction else {
            failure = .lost
            throw PostgreSQLDatabase.lost("the connection was lost", path)
        }
        disconnect()
        failure = .other
        let now = process_clock_monotonic_ms()
        if let refused, now - refused < 1000 { throw PostgreSQLDatabase.lost("it could not be a moment ago", path) }
        refused = now
        let made = PostgreSQLParameters(target).connect(library)
        guard library.status(made) == 0, let made else {
            let message = PostgreSQLDatabase.line(library.error(made))
            library.finish(made)
            throw PostgreSQLDatabase.lost(message, path)
        }
        refused = nil
        postgresql_ignore_notices(made)
        connection = made
        return made
    }

    // MARK: Transactions

    /// Writers take turns by the row of the tenant, as in SQLite, so that each rule sees all that was committed before it.
    package func transaction<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try repeated("BEGIN ISOLATION LEVEL READ COMMITTED; \(limits); SELECT number FROM sequence FOR UPDATE", body)
    }

    /// Writers of single rows conflict only where they meet, and are then repeated.
    package func rowTransaction<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try repeated("BEGIN ISOLATION LEVEL SERIALIZABLE; \(limits)", body)
    }

    package func snapshot<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try repeated("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; \(limits)", body)
    }

    package func rolledBack<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try begin("BEGIN ISOLATION LEVEL REPEATABLE READ")
        defer { rollBack() }
        return try body()
    }

    /// Run `body`, which changes the tables, in a transaction that no time ends.
    package func structureTransaction<T>(_ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try enclosed("BEGIN ISOLATION LEVEL READ COMMITTED", body)
    }

    /// Set in each transaction, since a pooler may give the connection to another program after it.
    private var limits: String { "SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '20s'" }

    /// Run a transaction, and again where it was taken back for a reason that may be gone.
    private func repeated<T>(_ begin: String, _ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        var (attempt, hasReconnected) = (1, false)
        while true {
            do throws(MAMError) { return try enclosed(begin, body) } catch {
                switch failure {
                case .conflict where attempt < PostgreSQLDatabase.attempts:
                    process_sleep(Int64.random(in: 0...Int64(attempt) * 5))
                    attempt += 1
                case .lost where !hasReconnected: hasReconnected = true
                default: throw error
                }
            }
        }
    }

    private func begin(_ statements: String) throws(MAMError) {
        guard !isInTransaction else { throw MAMError(.internal, "\(path): a transaction is not over") }
        failure = .other
        do throws(MAMError) { try execute(statements) } catch {
            rollBack()
            throw error
        }
        isInTransaction = true
    }

    private func enclosed<T>(_ statements: String, _ body: () throws(MAMError) -> T) throws(MAMError) -> T {
        try begin(statements)
        do throws(MAMError) {
            failure = .other
            let value = try body()
            try commit()
            isInTransaction = false
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    private func commit() throws(MAMError) {
        // COMMIT of a failed transaction is a rollback that succeeds.
        guard library.transaction_status(connection) == Int32(POSTGRESQL_IN_TRANSACTION) else {
            throw PostgreSQLDatabase.lost("a statement failed before the commit", path)
        }
        do throws(MAMError) { try execute("COMMIT") } catch {
            // Where the connection is lost now, the transaction may be committed: only the client may repeat it.
            if case .lost = failure { failure = .other }
            throw error
        }
    }

    /// End the transaction; the connection too, where that fails.
    private func rollBack() {
        isInTransaction = false
        guard connection != nil, library.transaction_status(connection) != Int32(POSTGRESQL_IDLE) else { return }
        let cause = failure
        defer { failure = cause }
        do throws(MAMError) { try execute("ROLLBACK") } catch { disconnect() }
    }
}
