import CFiles
import CProcess
import MAMProtection
import MAMSupport

/// Opening or creating the database and its keys.
extension State {
    /// Connect to the database. Retries, because switching a new file to WAL fails with SQLITE_BUSY at once when two processes do
    /// it, whatever the timeout.
    static func connect(
        _ directory: StateDirectory, _ interrupts: InterruptSource
    ) throws(MAMError) -> Database {
        let until = process_clock_monotonic_ms() &+ 30_000
        let wait = interrupts.beginWait()
        while true {
            do throws(MAMError) { return try connectOnce(directory, interrupts) } catch {
                guard error.code == .busy, process_clock_monotonic_ms() < until else { throw error }
                guard !wait.isInterrupted else { throw .interrupted }
                process_sleep(5)
            }
        }
    }

    private static func connectOnce(
        _ directory: StateDirectory, _ interrupts: InterruptSource
    ) throws(MAMError) -> Database {
        let database = try Database(path: "\(directory.path)/\(fileName)", mode: .create, interrupts: interrupts)
        try directory.checkMade(fileName)
        try database.execute("PRAGMA secure_delete = ON; PRAGMA synchronous = FULL")
        _ = try Schema.check(database)
        try database.execute("PRAGMA journal_mode = WAL")
        return database
    }

    static func attachSharedMemory(
        _ directory: StateDirectory
    ) throws(MAMError) -> (UnsafeMutablePointer<shared_words_t>, Int32) {
        let path = "\(directory.path)/\(generationFileName)"
        var words: UnsafeMutablePointer<shared_words_t>?
        var file: Int32 = -1
        let result = shared_words_open(directory.descriptor, generationFileName, &words, &file)
        guard Int(result) != FILES_EXDEV else {
            throw MAMError(
                .unsupported,
                "\(path): processes use this state whose shared memory this one cannot reach; end them, or give all of them one IPC namespace",
                [("path", .string(path))])
        }
        guard Int(result) != FILES_ENODEV else {
            throw MAMError(
                .unsupported,
                "\(path): the system gives no System V shared memory, which processes share a state by; look at kernel.shmmni, kernel.shmall and filters of system calls",
                [("path", .string(path))])
        }
        guard result == 0, let words else { throw .system(result, "share words with other processes", path: path) }
        return (words, file)
    }

    /// The result of opening.
    struct Opened {
        let root: RootKey
        let stateKey: SealingKey
        let labelKey: LabelKey
        let rollbackDetector: RollbackDetector
        let orphaned: OrphanedShares
    }

    /// Open or create the tables and keys. `earlierCounter` is the counter file as it was before.
    static func prepare(
        _ database: Database, _ directory: StateDirectory, _ vault: Vault, _ counterFile: CounterFile,
        _ earlierCounter: [UInt8]
    ) throws(MAMError) -> Opened {
        try database.transaction { () throws(MAMError) in
            let version = try Schema.check(database)
            _ = try Schema.checkTables(database, version: version)
            if version == 0 { try make(database, directory, vault) }
            try Schema.checkPages(database)
            guard let root = try RootKeyFile.load(from: directory, into: vault) else {
                throw MAMError(
                    .keyUnavailable,
                    "\(directory.path)/\(RootKeyFile.name): the root key is gone, and with it everything sealed here; put it back, or remove the whole directory to begin anew",
                    [("path", .string("\(directory.path)/\(RootKeyFile.name)"))])
            }
            let fingerprint = try database.first("SELECT value FROM meta WHERE name = 'rootKey'") { $0.blob(0) }
            guard fingerprint == root.fingerprint else {
                throw MAMError(
                    .keyUnavailable,
                    "\(directory.path)/\(RootKeyFile.name): is not the root key that this state was made with; put that one back",
                    [("path", .string("\(directory.path)/\(RootKeyFile.name)"))])
            }
            // Migrate only with the root key at hand, so that a state which cannot be opened stays as it is.
            let former = version == Schema.version ? nil : try unsealedCounter(database)
            if version > 0 { try Schema.migrations.upgrade(database, from: version) }
            let stateKey = try SealingKey(try key("state", database, root))
            if let former { _ = try CounterRow(database, stateKey).store(former) }
            let rollbackDetector = try RollbackDetector(database, stateKey, counterFile, earlierCounter)
            let listed = try AccountRoster(database: database, stateKey: stateKey).all()
            let shares = KeyShareStore(directory: directory)
            // A rolled back state may list additions that were finished later.
            if !rollbackDetector.isRolledBack { try shares.removeUnfinished(database, stateKey, listed: listed) }
            return Opened(
                root: root,
                stateKey: stateKey,
                labelKey: try LabelKey(try key("group", database, root)),
                rollbackDetector: rollbackDetector,
                orphaned: try shares.orphaned(database, listed: listed))
        }
    }

    /// The unsealed counters of an older release; nil without them.
    private static func unsealedCounter(_ database: Database) throws(MAMError) -> CounterRecord? {
        let tag = try database.first("SELECT value FROM meta WHERE name = 'deviceTag'") { $0.text(0) ?? "" }
        let generation = try database.first("SELECT value FROM meta WHERE name = 'generation'") { $0.integer(0) }
        guard let tag, let generation, (0..<Int64.max).contains(generation) else { return nil }
        return CounterRecord(deviceTag: tag, count: generation)
    }

    private static func make(
        _ database: Database, _ directory: StateDirectory, _ vault: Vault
    ) throws(MAMError) {
        guard try directory.hasNoShares() else {
            throw MAMError(
                .storage,
                "\(directory.path)/\(fileName): is gone or empty, but shares of accounts are still there; put its newest copy back (an older one opens closed, until its accounts have checked in), or remove the whole directory to begin anew",
                [("path", .string("\(directory.path)/\(fileName)"))], for: .errorTampered)
        }
        let root = try RootKeyFile.loadOrMake(in: directory, into: vault)
        try Schema.migrations.upgrade(database, from: 0)
        for name in ["state", "group"] {
            let wrapped = try root.wrap(try SecretBytes.random(count: 32), kind: name, epoch: 0)
            try database.run("INSERT INTO keys VALUES (?, ?)", .text(name), .blob(wrapped))
        }
        let stateKey = try SealingKey(try key("state", database, root))
        try AccountRoster(database: database, stateKey: stateKey).make()
        _ = try CounterRow(database, stateKey).store(CounterRecord(deviceTag: try CounterRecord.newTag()))
        try database.run("INSERT INTO meta VALUES ('rootKey', ?)", .blob(root.fingerprint))
        try database.set("application_id", to: Schema.application)
    }

    static func key(_ name: String, _ database: Database, _ root: RootKey) throws(MAMError) -> SecretBytes {
        guard
            let wrapped = try database.first(
                "SELECT wrapped FROM keys WHERE name = ?", .text(name), map: { $0.blob(0) })
        else {
            throw MAMError(
                .tampered,
                "\(database.path): its \(name) key is missing; put its newest copy back (an older one opens closed, until its accounts have checked in)"
            )
        }
        do throws(MAMError) { return try root.unwrap(wrapped, kind: name, epoch: 0) } catch {
            guard error.code != .closed else { throw error }
            throw MAMError(
                .tampered,
                "\(database.path): its \(name) key does not verify; put its newest copy back (an older one opens closed, until its accounts have checked in)"
            )
        }
    }
}
