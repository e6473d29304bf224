import CFiles
import MAMSupport

/// The connection to a state's database: opened on first use, closed before a fork, used by one thread at a time.
final class StateConnection: ForkAware, @unchecked Sendable {
    private let lock = Lock()  // guards the rest
    private let guarded: GuardedValues
    private let directory: StateDirectory
    private let interrupts: InterruptSource
    private var database: Database?
    private var schemaSeen: Int64?  // schema cookie of the last check
    /// The size that SQLite maps first: an index of 4062 WAL frames, four times the autocheckpoint limit.
    private static let indexLength: Int64 = 32768

    init(_ directory: StateDirectory, _ interrupts: InterruptSource, _ guarded: GuardedValues) {
        self.guarded = guarded
        self.directory = directory
        self.interrupts = interrupts
    }

    /// Run `body` with the connection. Fails with `.busy` when another thread kept it for `milliseconds`.
    func held<T>(
        within milliseconds: Int64 = 60_000, _ body: (Database, GuardedValues) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        let result = try lock.held(within: milliseconds, unless: interrupts) { () throws(MAMError) in
            try body(ready(), guarded)
        }
        guard let result else {
            throw MAMError(.busy, "\(directory.path): the state is in use by another thread for too long; try again")
        }
        return result
    }

    /// Same without waiting; nil while another thread uses the connection.
    func heldIfFree<T>(_ body: (Database, GuardedValues) throws(MAMError) -> T) throws(MAMError) -> T? {
        try lock.held(within: 0) { () throws(MAMError) in try body(ready(), guarded) }
    }

    /// Run `body` with the guarded values alone.
    func held<T>(_ body: (GuardedValues) -> T) -> T { lock.held { body(guarded) } }

    private func ready() throws(MAMError) -> Database {
        let mended = mendIndex()
        guard mended == 0 else { throw .system(mended, "mend the index of its log", path: index) }
        if let database { return database }
        let fresh = try State.connect(directory, interrupts)
        database = fresh
        return fresh
    }

    /// Check the schema once per change, in each transaction, to detect foreign triggers, views or tables. Within
    /// ``held(within:_:)``.
    func checkSchema(_ database: Database) throws(MAMError) {
        let cookie = try database.first("PRAGMA schema_version") { $0.integer(0) } ?? 0
        guard cookie != schemaSeen else { return }
        schemaSeen = try Schema.checkTables(database, version: try Schema.check(database))
    }

    func close() { lock.held { end() } }

    private func end() {
        _ = mendIndex()
        schemaSeen = nil
        database = nil
    }

    /// Takes the lock and closes the connection: SQLite's locks belong to the process.
    func beforeFork() {
        lock.take()
        end()
    }

    func afterForkInParent() { lock.drop() }
    func afterForkInChild() { lock.reset() }

    /// Restore the length of the WAL index, which SQLite maps: accessing a truncated file kills the process. The missing part reads
    /// as zeros, from which SQLite rebuilds the index. Blocks are allocated, since writing to a hole on a full disk kills the
    /// process, too. Returns 0 or an errno. Called before each use of the connection.
    private func mendIndex() -> Int32 { files_lengthen(index, StateConnection.indexLength) }
    private var index: String { "\(directory.path)/\(State.fileName)-shm" }
}
