import CPlatform
import MAMSupport

/// The connection to the database of a state: begun when it is used, ended before a fork. One thread at a time.
final class StateConnection: @unchecked Sendable {
    let lock = Lock()  // guards the rest
    private let directory: StateDirectory
    private let interrupts: Interrupts
    private var database: Database?
    private var schemaSeen: Int64?  // that was checked
    /// What SQLite maps at once: room for 4062 pages of log, four times as many as it lets come together.
    private static let indexLength: Int64 = 32768

    init(_ directory: StateDirectory, _ interrupts: Interrupts) {
        self.directory = directory
        self.interrupts = interrupts
    }

    /// Use it with the lock held; `.busy` when another thread kept it for longer than `milliseconds`.
    func held<T>(
        within milliseconds: Int64 = 60_000, _ body: (Database) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        let result = try lock.held(within: milliseconds, unless: interrupts) { () throws(MAMError) in try body(ready())
        }
        guard let result else {
            throw MAMError(.busy, "\(directory.path): the state is in use by another thread for too long; try again")
        }
        return result
    }

    /// The same at once; nil while another thread uses it.
    func heldIfFree<T>(_ body: (Database) throws(MAMError) -> T) throws(MAMError) -> T? {
        try lock.held(within: 0) { () throws(MAMError) in try body(ready()) }
    }

    private func ready() throws(MAMError) -> Database {
        let mended = mendIndex()
        guard mended == 0 else { throw .system(mended, "mend the index of its log", path: index) }
        if let database { return database }
        let fresh = try State.connect(directory, interrupts)
        database = fresh
        return fresh
    }

    /// In each transaction: a trigger, a view or a table of somebody else's is found when it comes. With the lock held.
    func checkSchema(_ database: Database) throws(MAMError) {
        let cookie = try database.first("PRAGMA schema_version") { $0.integer(0) } ?? 0
        guard cookie != schemaSeen else { return }
        schemaSeen = try Schema.checkTables(database, version: try Schema.check(database))
    }

    /// The next use begins another one. With the lock held.
    func end() {
        _ = mendIndex()
        schemaSeen = nil
        database = nil
    }

    /// SQLite maps the index of its log, and a mapped file that somebody cut short kills whoever reads it. Made as long as it
    /// was, it is full of zeros, and SQLite builds it anew. A hole would kill as well, on a full disk: 0, or why there is no room.
    /// With the lock held, before each use of the connection.
    private func mendIndex() -> Int32 { platform_lengthen(index, StateConnection.indexLength) }
    private var index: String { "\(directory.path)/\(State.fileName)-shm" }
}
