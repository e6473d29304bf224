import CFiles
import MAMSupport

/// The connection to a state's database: opened on first use, closed before a fork, used by one thread at a time.
final class StateConnection: ForkAware, Sendable {
    private struct Contents {
        let guarded: GuardedValues
        var database: Database?

        mutating func close() {
            guarded.schemaSeen = nil
            database = nil
        }
    }

    private let contents: Locked<Contents>
    private let directory: StateDirectory
    private let interrupts: InterruptSource
    /// The size that SQLite maps first: an index of 4062 WAL frames, four times the autocheckpoint limit.
    private static let indexLength: Int64 = 32768

    init(_ directory: StateDirectory, _ interrupts: InterruptSource, _ guarded: GuardedValues) {
        contents = Locked(Contents(guarded: guarded))
        self.directory = directory
        self.interrupts = interrupts
    }

    /// Run `body` with the connection. Fails with `.busy` when another thread kept it for `milliseconds`.
    func withConnection<T>(
        within milliseconds: Int64 = 60_000, _ body: (Database, GuardedValues) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        let result = try contents.withLock(within: milliseconds, unless: interrupts) { (contents) throws(MAMError) in
            try body(try ready(&contents), contents.guarded)
        }
        guard let result else {
            throw MAMError(.busy, "\(directory.path): the state is in use by another thread for too long; try again")
        }
        return result
    }

    /// Same without waiting; nil while another thread uses the connection.
    func withConnectionIfFree<T>(_ body: (Database, GuardedValues) throws(MAMError) -> T) throws(MAMError) -> T? {
        try contents.withLockIfFree { (contents) throws(MAMError) in try body(try ready(&contents), contents.guarded) }
    }

    /// Run `body` with the guarded values alone.
    func withGuardedValues<T>(_ body: (GuardedValues) -> T) -> T { contents.withLock { body($0.guarded) } }

    private func ready(_ contents: inout Contents) throws(MAMError) -> Database {
        let mended = mendIndex()
        guard mended == 0 else { throw .system(mended, "mend the index of its log", path: index) }
        if let database = contents.database { return database }
        let fresh = try State.connect(directory, interrupts)
        contents.database = fresh
        return fresh
    }

    func close() {
        contents.withLock { contents in
            _ = mendIndex()
            contents.close()
        }
    }

    /// Takes the lock and closes the connection: SQLite's locks belong to the process.
    func beforeFork() {
        contents.beforeFork { contents in
            _ = mendIndex()
            contents.close()
        }
    }

    func afterForkInParent() { contents.afterForkInParent() }
    func afterForkInChild() { contents.afterForkInChild() }

    /// Restore the length of the WAL index, which SQLite maps: accessing a truncated file kills the process. The missing part reads
    /// as zeros, from which SQLite rebuilds the index. Blocks are allocated, since writing to a hole on a full disk kills the
    /// process, too. Returns 0 or an errno. Called before each use of the connection.
    private func mendIndex() -> Int32 { files_lengthen(index, StateConnection.indexLength) }
    private var index: String { "\(directory.path)/\(State.fileName)-shm" }
}
