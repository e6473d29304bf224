import CPlatform
import MAMProtection
import MAMSupport

/// What survives a restart: one SQLite database an app group, sealed row by row, shared by every process of the group.
///
/// Each change that others must see bumps a generation, in the database and in a word that every process maps: odd
/// while the change is being committed, even after. The word is repaired from the database by whoever finds it odd.
public final class State: @unchecked Sendable {
    /// Where it is.
    public let directory: StateDirectory
    /// The app whose rows this session sees.
    public let app: String
    /// The mapped words.
    public let words: UnsafeMutablePointer<platform_words_t>
    /// Authenticates the labels of unmanaged data.
    public let labelKey: LabelKey
    /// A random number that stands for this computer and group at the authority.
    public let deviceTag: String

    let root: RootKey
    let stateKey: SealingKey
    let shares: ShareStore
    private let wordsFile: Int32
    private let place: StatePlace
    private let interrupts: Interrupts
    private let lock = Lock()  // guards `database`, which a fork closes
    private var database: Database?
    private var schemaSeen: Int64?  // guarded by `lock`: the schema that was checked
    private var destroyed = false  // guarded by `lock`
    private var leases: [Lease.Subject: Int32] = [:]  // guarded by `lock`: their descriptors
    private var forkHooks: UInt64 = 0
    private static let fileName = "state.db"
    private static let wordsName = "generation"
    /// What SQLite maps at once: room for 4062 pages of log, four times as many as it lets come together.
    private static let indexLength: Int64 = 32768

    /// Open the state of an app group, made when there is none.
    public init(directory: StateDirectory, app: String, interrupts: Interrupts = Interrupts()) throws(MAMError) {
        try CryptoLibrary.start()
        try directory.checkFiles()
        self.directory = directory
        self.app = app
        self.interrupts = interrupts
        self.shares = ShareStore(directory: directory)
        // This connection ends before the hooks that look after the next one are in place.
        let opened = try ForkGate.shared.pass { () throws(MAMError) in
            try State.prepare(try State.connect(directory, interrupts), directory)
        }
        self.root = opened.root
        self.stateKey = opened.stateKey
        self.labelKey = opened.labelKey
        self.deviceTag = opened.deviceTag
        self.place = try StatePlace(directory)
        (self.words, self.wordsFile) = try State.attachWords(directory)
        self.forkHooks = platform_fork_add(
            platform_fork_hooks_t(
                context: Unmanaged.passUnretained(self).toOpaque(),
                before: { State.of($0)?.beforeFork() },
                after_parent: { State.of($0)?.lock.drop() },
                after_child: { State.of($0)?.afterForkInChild() }))
        do throws(MAMError) { try repairGeneration() } catch {
            close()
            throw error
        }
    }

    /// Give the connection, the words and the fork hooks back. Nothing of it may be used after.
    public func close() {
        // While the hooks still hold forks back.
        lock.held { disconnect() }
        platform_fork_remove(forkHooks)
        platform_words_close(words, wordsFile)
    }

    // MARK: Reading and committing

    /// One state of the database, and the even generation word that stands for it. `.busy` when another thread kept the
    /// connection for longer than `milliseconds`.
    public func read<T>(
        within milliseconds: Int64 = 60_000, _ body: (StateView, UInt64) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        // Before the rows: a key destroyed after this makes what is read now out of date.
        let epoch = GenerationWord.epoch(platform_generation(words))
        return try locked(within: milliseconds) { database throws(MAMError) in
            try database.snapshot { () throws(MAMError) in
                try checkSchema(database)
                let generation = GenerationWord.even(epoch: epoch, try State.generation(of: database))
                return try body(StateView(state: self, database: database), generation)
            }
        }
    }

    /// Change rows that only their writer needs to see.
    public func write<T>(_ body: (StateView) throws(MAMError) -> T) throws(MAMError) -> T {
        try locked { database throws(MAMError) in
            try database.transaction { () throws(MAMError) in
                try checkSchema(database)
                return try body(StateView(state: self, database: database))
            }
        }
    }

    /// Change what every process of the group must obey: nothing is visible before the commit, nothing is lost after it.
    public func publish<T>(_ body: (StateView) throws(MAMError) -> T) throws(MAMError) -> T {
        var isDestroyed = false
        do throws(MAMError) {
            return try locked { database throws(MAMError) in
                try database.execute("BEGIN IMMEDIATE")
                var before: UInt64 = 0
                var mine: UInt64 = 0
                do throws(MAMError) {
                    try checkSchema(database)
                    let generation = try State.generation(of: database)
                    let epoch = State.nextEpoch(platform_generation(words), generation)
                    before = GenerationWord.even(epoch: epoch, generation)
                    mine = GenerationWord.odd(epoch: epoch, generation)
                    platform_generation_set(words, mine)
                    destroyed = false
                    let value = try body(StateView(state: self, database: database))
                    try State.setGeneration(generation &+ 1, of: database)
                    try database.execute("COMMIT")
                    _ = platform_generation_replace(words, mine, GenerationWord.even(epoch: epoch, generation &+ 1))
                    platform_bell_ring(words)
                    return value
                } catch {
                    isDestroyed = destroyed
                    try? database.execute("ROLLBACK")
                    // Where a key was destroyed the word stays odd: nobody answers from memory before looking again.
                    if !destroyed { _ = platform_generation_replace(words, mine, before) }
                    throw error
                }
            }
        } catch {
            if isDestroyed { try? repairGeneration() }
            throw error
        }
    }

    /// The epoch to go on with. With the write lock held an odd word is a dead writer's, who may have destroyed a key before
    /// it died, and one of another generation tells that somebody set the database's back: a new epoch makes everybody look
    /// again. It needs no disk space.
    private static func nextEpoch(_ word: UInt64, _ generation: Int64) -> UInt64 {
        let epoch = GenerationWord.epoch(word)
        return word == GenerationWord.even(epoch: epoch, generation) ? epoch : epoch &+ 1
    }

    /// A key was destroyed inside the transaction that is under way: it counts whether or not that commits.
    func noteDestroyed() { destroyed = true }

    /// Whether the word says that nobody is committing and `generation` is the latest.
    public func isCurrent(_ generation: UInt64) -> Bool { platform_generation(words) == generation }

    /// Make the word tell the database's generation: a process killed while it committed leaves it odd. `.busy` when
    /// somebody is still committing after `milliseconds`.
    public func repairGeneration(within milliseconds: Int32 = 30_000) throws(MAMError) {
        try locked(within: Int64(milliseconds)) { database throws(MAMError) in
            database.setBusyTimeout(milliseconds: milliseconds)
            defer { database.setBusyTimeout(milliseconds: 30_000) }
            var seen: UInt64 = 0
            var generation: Int64 = 0
            try database.transaction { () throws(MAMError) in
                try checkSchema(database)
                seen = platform_generation(words)
                generation = try State.generation(of: database)
            }
            // Whoever began to commit since has set a word of its own.
            let repaired = GenerationWord.even(epoch: State.nextEpoch(seen, generation), generation)
            _ = platform_generation_replace(words, seen, repaired)
            if seen != repaired { platform_bell_ring(words) }
        }
    }

    /// Move everything from the log into the database and empty it, so that nothing deleted stays in it; false when another
    /// process is reading it just now.
    public func truncateLog() throws(MAMError) -> Bool {
        try locked { database throws(MAMError) in
            database.setBusyTimeout(milliseconds: 100)
            defer { database.setBusyTimeout(milliseconds: 30_000) }
            return try database.first("PRAGMA wal_checkpoint(TRUNCATE)") { !$0.bool(0) } ?? false
        }
    }

    /// Refuse to go on once the directory, the database, the root key or the words' file was removed, replaced or changed: what
    /// this process keeps would be lost, and what others commit would not reach it.
    public func checkPlace() throws(MAMError) {
        try place.check()
        guard platform_words_look(directory.descriptor, State.wordsName, words, wordsFile) != 0 else { return }
        throw MAMError(
            .tampered,
            "\(directory.path)/\(State.wordsName): was removed or changed while the state was open; close and open again",
            [("path", .string("\(directory.path)/\(State.wordsName)"))])
    }

    /// What diagnostics show.
    public var summary: JSON {
        [
            "directory": .string(directory.path), "schema": .integer(Schema.version),
            "generation": .integer(GenerationWord.generation(platform_generation(words))),
        ]
    }

    // MARK: Opening

    private func locked<T>(
        within milliseconds: Int64 = 60_000, _ body: (Database) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        let result = try lock.held(within: milliseconds, unless: interrupts) { () throws(MAMError) in
            mendIndex()
            if let database { return try body(database) }
            let fresh = try State.connect(directory, interrupts)
            database = fresh
            return try body(fresh)
        }
        guard let result else {
            throw MAMError(.busy, "\(directory.path): the state is in use by another thread for too long; try again")
        }
        return result
    }

    /// SQLite maps the index of its log, and a mapped file that somebody cut short kills whoever reads it. Made as long as it
    /// was, it is full of zeros, and SQLite builds it anew. With the lock held, before each use of the connection.
    private func mendIndex() { _ = platform_lengthen("\(directory.path)/\(State.fileName)-shm", State.indexLength) }

    /// In each transaction: a trigger, a view or a table of somebody else's is found when it comes. With the lock held.
    private func checkSchema(_ database: Database) throws(MAMError) {
        let cookie = try database.first("PRAGMA schema_version") { $0.integer(0) } ?? 0
        guard cookie != schemaSeen else { return }
        schemaSeen = try Schema.checkTables(database, version: try Schema.check(database))
    }

    private func disconnect() {
        mendIndex()
        schemaSeen = nil
        database = nil
    }

    /// Turning a new file into a WAL database answers busy at once when two processes do it, whatever the timeout: try again.
    private static func connect(
        _ directory: StateDirectory, _ interrupts: Interrupts
    ) throws(MAMError) -> Database {
        let until = platform_time_monotonic() &+ 30_000
        let wait = interrupts.begin()
        while true {
            do throws(MAMError) { return try connectOnce(directory, interrupts) } catch {
                guard error.code == .busy, platform_time_monotonic() < until else { throw error }
                guard !wait.isOver else { throw .interrupted }
                platform_sleep(5)
            }
        }
    }

    private static func connectOnce(
        _ directory: StateDirectory, _ interrupts: Interrupts
    ) throws(MAMError) -> Database {
        let database = try Database(path: "\(directory.path)/\(fileName)", mode: .create, interrupts: interrupts)
        try directory.checkMade(fileName)
        try database.execute("PRAGMA secure_delete = ON; PRAGMA synchronous = FULL")
        _ = try Schema.check(database)
        try database.execute("PRAGMA journal_mode = WAL")
        return database
    }

    private static func attachWords(
        _ directory: StateDirectory
    ) throws(MAMError) -> (UnsafeMutablePointer<platform_words_t>, Int32) {
        let path = "\(directory.path)/\(wordsName)"
        var words: UnsafeMutablePointer<platform_words_t>?
        var file: Int32 = -1
        let result = platform_words_open(directory.descriptor, wordsName, &words, &file)
        guard Int(result) != PLATFORM_EXDEV else {
            throw MAMError(
                .unsupported,
                "\(path): processes use this state whose shared memory this one cannot reach; end them, or give all of them one IPC namespace",
                [("path", .string(path))])
        }
        guard Int(result) != PLATFORM_ENODEV else {
            throw MAMError(
                .unsupported,
                "\(path): the system gives no System V shared memory, which processes share a state by; look at kernel.shmmni, kernel.shmall and filters of system calls",
                [("path", .string(path))])
        }
        guard result == 0, let words else { throw .system(result, "share words with other processes", path: path) }
        return (words, file)
    }

    private struct Opened {
        let root: RootKey
        let stateKey: SealingKey
        let labelKey: LabelKey
        let deviceTag: String
    }

    private static func prepare(_ database: Database, _ directory: StateDirectory) throws(MAMError) -> Opened {
        try database.transaction { () throws(MAMError) in
            let version = try Schema.check(database)
            _ = try Schema.checkTables(database, version: version)
            if version == 0 { try make(database, directory) }
            try Schema.checkPages(database)
            guard let root = try FileCustodian.load(from: directory) else {
                throw MAMError(
                    .keyUnavailable,
                    "\(directory.path)/\(FileCustodian.name): the root key is gone, and with it everything sealed here; put it back, or remove the whole directory to begin anew",
                    [("path", .string("\(directory.path)/\(FileCustodian.name)"))])
            }
            let fingerprint = try database.first("SELECT value FROM meta WHERE name = 'rootKey'") { $0.blob(0) }
            guard fingerprint == root.fingerprint else {
                throw MAMError(
                    .keyUnavailable,
                    "\(directory.path)/\(FileCustodian.name): is not the root key that this state was made with; put that one back",
                    [("path", .string("\(directory.path)/\(FileCustodian.name)"))])
            }
            // With its key at hand: a state that cannot be opened is left as it is.
            if version > 0 { try Schema.versions.upgrade(database, from: version) }
            let stateKey = try SealingKey(try key("state", database, root))
            let roster = AccountRoster(database: database, stateKey: stateKey)
            try ShareStore(directory: directory).removeOrphans(database, listed: try roster.all())
            return Opened(
                root: root,
                stateKey: stateKey,
                labelKey: try LabelKey(try key("group", database, root)),
                deviceTag: try database.first("SELECT value FROM meta WHERE name = 'deviceTag'") { $0.text(0) ?? "" }
                    ?? "")
        }
    }

    private static func make(_ database: Database, _ directory: StateDirectory) throws(MAMError) {
        guard try directory.hasNoShares() else {
            throw MAMError(
                .storage,
                "\(directory.path)/\(fileName): is gone or empty, but shares of accounts are still there; restore it from a copy, or remove the whole directory to begin anew",
                [("path", .string("\(directory.path)/\(fileName)"))])
        }
        let root = try FileCustodian.loadOrMake(in: directory)
        try Schema.versions.upgrade(database, from: 0)
        for name in ["state", "group"] {
            let wrapped = try root.wrap(try SecretBytes.random(count: 32), kind: name, epoch: 0)
            try database.run("INSERT INTO keys VALUES (?, ?)", .text(name), .blob(wrapped))
        }
        let stateKey = try SealingKey(try key("state", database, root))
        try AccountRoster(database: database, stateKey: stateKey).make()
        try database.run("INSERT INTO meta VALUES ('rootKey', ?)", .blob(root.fingerprint))
        try database.run("INSERT INTO meta VALUES ('deviceTag', ?)", .text(hexadecimal(try randomBytes(16))))
        try database.run("INSERT INTO meta VALUES ('generation', 0)")
        try database.set("application_id", to: Schema.application)
    }

    private static func key(_ name: String, _ database: Database, _ root: RootKey) throws(MAMError) -> SecretBytes {
        guard
            let wrapped = try database.first(
                "SELECT wrapped FROM keys WHERE name = ?", .text(name), map: { $0.blob(0) })
        else {
            throw MAMError(.tampered, "\(database.path): its \(name) key is missing; restore the file from a copy")
        }
        do throws(MAMError) { return try root.unwrap(wrapped, kind: name, epoch: 0) } catch {
            throw MAMError(.tampered, "\(database.path): its \(name) key does not verify; restore the file from a copy")
        }
    }

    // MARK: Forks

    private static func of(_ context: UnsafeMutableRawPointer?) -> State? {
        context.map { Unmanaged<State>.fromOpaque($0).takeUnretainedValue() }
    }

    /// SQLite's locks belong to the process: no connection may be open while it forks. The next use opens one.
    private func beforeFork() {
        lock.take()
        disconnect()
    }

    /// The lease belongs to the parent: its lock lasts as long as any copy of the descriptor.
    private func afterForkInChild() {
        for descriptor in leases.values { platform_close(descriptor) }
        leases = [:]
        lock.reset()
    }

    /// What one session of the group does at a time; nil while another one does it. Nobody waits for it inside the system.
    public func lease(_ subject: Lease.Subject) throws(MAMError) -> Lease? {
        try lock.held { () throws(MAMError) in
            var descriptor: Int32 = -1
            let result = platform_lock_file_at(directory.descriptor, subject.file, &descriptor)
            if Int(result) == PLATFORM_EWOULDBLOCK { return nil }
            guard result == 0 else {
                throw .system(result, "take the lock", path: "\(directory.path)/\(subject.file)")
            }
            leases[subject] = descriptor
            return Lease(state: self, subject: subject)
        }
    }

    func endLease(_ subject: Lease.Subject) {
        lock.held {
            if let descriptor = leases.removeValue(forKey: subject) { platform_unlock_file(descriptor) }
        }
    }
}
