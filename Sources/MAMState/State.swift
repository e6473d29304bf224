import CProcess
import MAMProtection
import MAMSupport

/// The persistent state of an app group: one SQLite database, sealed row by row and shared by all processes of the group.
///
/// Each change that others must see increments a generation in the database and in a shared word, which is odd during the commit. A
/// process that finds an odd word repairs it from the database.
public final class State: @unchecked Sendable {
    /// The directory.
    public let directory: StateDirectory
    /// The app whose rows are visible.
    public let app: String
    /// The shared words.
    public let words: UnsafeMutablePointer<shared_words_t>
    /// Authenticates labels.
    public let labelKey: LabelKey

    let root: RootKey
    let stateKey: SealingKey
    let shares: KeyShareStore
    private let wordsFile: Int32
    private let fileIdentity: StateFileIdentity
    let connection: StateConnection
    private let vault: Vault  // of all keys derived from the root key
    let leases = Locked(LeaseDescriptors())
    private var forkHooks: UInt64 = 0
    static let fileName = "state.db"
    static let generationFileName = "generation"

    /// Open the state of an app group, or create it.
    public init(directory: StateDirectory, app: String, interrupts: InterruptSource = InterruptSource())
        throws(MAMError)
    {
        try CryptoLibrary.start()
        try directory.checkFiles()
        self.directory = directory
        self.app = app
        let vault = try Vault()
        self.vault = vault
        self.shares = KeyShareStore(directory: directory)
        // Read before the database, so that it cannot be ahead of it.
        let counterFile = try CounterFile(directory)
        let earlierCounter = counterFile.read()
        // This connection is closed before the fork hooks of the next one are installed.
        let opened = try ForkDelay.shared.withForksHeld { () throws(MAMError) in
            // An open on a full disk may bring a wipe.
            try directory.withReservedSpace { () throws(MAMError) in
                try State.prepare(
                    try State.connect(directory, interrupts), directory, vault, counterFile, earlierCounter)
            }
        }
        self.root = opened.root
        self.stateKey = opened.stateKey
        self.labelKey = opened.labelKey
        self.connection = StateConnection(
            directory, interrupts, GuardedValues(opened.rollbackDetector, opened.orphaned))
        self.fileIdentity = try StateFileIdentity(directory)
        (self.words, self.wordsFile) = try State.attachSharedMemory(directory)
        self.forkHooks = process_fork_hooks_add(
            process_fork_hooks_t(
                context: Unmanaged.passUnretained(self).toOpaque(),
                before: { State.of($0)?.beforeFork() },
                after_parent: { State.of($0)?.afterForkInParent() },
                after_child: { State.of($0)?.afterForkInChild() }))
        PendingFile.removeStale(directory)
        do throws(MAMError) { try withReservedSpace { () throws(MAMError) in try repairGeneration() } } catch {
            close()
            throw error
        }
        directory.reserveSpace()
    }

    /// Release the connection, the shared words and the fork hooks, and zero all keys, including those in use elsewhere. The state
    /// must not be used afterwards.
    public func close() {
        // Close the connection before the fork hooks are removed.
        connection.close()
        directory.reserveSpace()
        process_fork_hooks_remove(forkHooks)
        shared_words_close(words, wordsFile)
        vault.close()
    }

    // MARK: Reading and committing

    /// Run `body` in a read transaction, with the even generation word of what it reads. Fails with `.busy` when another thread
    /// kept the connection for `milliseconds`.
    public func read<T>(
        within milliseconds: Int64 = 60_000, _ body: (StateView, UInt64) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        // Read before the rows, so that a key destroyed meanwhile makes the result outdated.
        let era = GenerationWord.era(shared_generation_word(words))
        return try connection.withConnection(within: milliseconds) { database, guarded throws(MAMError) in
            let earlierCounter = guarded.rollbackDetector.file.read()
            return try database.snapshot { () throws(MAMError) in
                let view = try view(database, guarded, earlierCounter)
                return try body(view, GenerationWord.even(era: era, view.counterRecord.generation))
            }
        }
    }

    /// Change rows that other processes need not load at once.
    ///
    /// `isRollbackProtected` increments the rollback counter, for changes whose reversal would benefit an attacker: PIN attempts,
    /// records of user presence, offline times and wipe steps. Not protected are results of a check-in, whose reversal shortens
    /// what is allowed; times of next attempts; outcomes that were read; exchange keys, which the authority sends again; and the
    /// file index, which file labels repeat.
    public func write<T>(
        isRollbackProtected: Bool = false, _ body: (StateView) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        try connection.withConnection { database, guarded throws(MAMError) in
            let earlierCounter = guarded.rollbackDetector.file.read()
            var begun: UInt32?
            defer { if let begun { shared_writes_end(words, begun) } }
            do throws(MAMError) {
                let value = try database.transaction { () throws(MAMError) in
                    let view = try view(database, guarded, earlierCounter)
                    begun = shared_writes_begin(words)
                    let value = try body(view)
                    if isRollbackProtected { try guarded.rollbackDetector.advance(database) }
                    return value
                }
                if isRollbackProtected { guarded.rollbackDetector.committed() }
                return value
            } catch {
                guarded.rollbackDetector.failed()
                throw error
            }
        }
    }

    /// Check schema and rollback at the beginning of each transaction. `earlierCounter` is the counter file as it was before.
    func view(_ database: Database, _ guarded: GuardedValues, _ earlierCounter: [UInt8]) throws(MAMError) -> StateView {
        try guarded.checkSchema(database)
        let rollbackDetector = guarded.rollbackDetector
        if try rollbackDetector.update(database, earlierCounter) {
            // Make every process reload, since a rollback or its end concerns every account.
            let word = shared_generation_word(words)
            let next = GenerationWord.even(era: GenerationWord.era(word) &+ 1, rollbackDetector.record.generation)
            if word % 2 == 0, shared_generation_word_replace(words, word, next) { shared_wakeup_signal(words) }
        }
        return StateView(state: self, database: database, guarded: guarded)
    }

    /// The number of commits of ``write(isRollbackProtected:_:)`` in all processes, rollback-protected or not; nil during a commit.
    /// Data read later is at least as new.
    public var writeCount: UInt32? {
        let writeCount = shared_writes(words)
        return writeCount % 2 == 0 ? writeCount : nil
    }

    /// Change rows without syncing: they survive a kill but may be lost in a power failure. Only for data that is stored elsewhere
    /// as well.
    public func writeUnsynced<T>(_ body: (StateView) throws(MAMError) -> T) throws(MAMError) -> T {
        try connection.withConnection { database, guarded throws(MAMError) in
            let earlierCounter = guarded.rollbackDetector.file.read()
            try database.execute("PRAGMA synchronous = NORMAL")
            defer { try? database.execute("PRAGMA synchronous = FULL") }
            return try database.transaction { () throws(MAMError) in
                try body(try view(database, guarded, earlierCounter))
            }
        }
    }

    /// Change rows that every process of the group must load. They become visible with the commit, which is durable. Fails with
    /// `.busy` when another process kept the database for `milliseconds`. With `mayAddAccount` the share of a new account is
    /// recorded as unfinished before it is made.
    public func commitForAll<T>(
        within milliseconds: Int32 = 30_000, mayAddAccount: Bool = false, _ body: (StateView) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        try connection.withConnection(within: Int64(milliseconds) * 2) { database, guarded throws(MAMError) in
            database.setBusyTimeout(milliseconds: milliseconds)
            defer { database.setBusyTimeout(milliseconds: 30_000) }
            let rollbackDetector = guarded.rollbackDetector
            let earlierCounter = rollbackDetector.file.read()
            let unfinished = mayAddAccount ? try noteUnfinished(database, guarded, earlierCounter) : nil
            guarded.pendingAccountID = unfinished
            defer { guarded.pendingAccountID = nil }
            try database.execute("BEGIN IMMEDIATE")
            var before: UInt64 = 0
            var mine: UInt64 = 0
            do throws(MAMError) {
                let view = try view(database, guarded, earlierCounter)
                let generation = view.counterRecord.generation
                var era: UInt64
                var seen: UInt64
                // Never replace an odd word without having read it, since it may record a closure.
                repeat {
                    seen = shared_generation_word(words)
                    era = GenerationWord.nextEra(after: seen, generation)
                    before = GenerationWord.even(era: era, generation)
                    mine = GenerationWord.odd(era: era, generation, mark: shared_unique_mark(words))
                } while !shared_generation_word_replace(words, seen, mine)
                let value = try body(view)
                rollbackDetector.record.unfinished.removeAll { $0 == unfinished }
                try rollbackDetector.advance(database, incrementsGeneration: true)
                try database.execute("COMMIT")
                rollbackDetector.committed()
                _ = shared_generation_word_replace(words, mine, GenerationWord.even(era: era, generation &+ 1))
                shared_wakeup_signal(words)
                return value
            } catch {
                try? database.execute("ROLLBACK")
                rollbackDetector.failed()
                if let unfinished { shares.removeUnfinished(unfinished) }
                _ = shared_generation_word_replace(words, mine, before)
                throw error
            }
        }
    }

    private func noteUnfinished(_ database: Database, _ guarded: GuardedValues, _ earlierCounter: [UInt8])
        throws(MAMError)
        -> AccountRowID
    {
        let id = try AccountRowID.make()
        try database.transaction { () throws(MAMError) in
            _ = try view(database, guarded, earlierCounter)
            try guarded.rollbackDetector.noteUnfinished(id, database)
        }
        return id
    }

    /// Whether `word` is the latest generation word, and no commit is in progress.
    public func isCurrent(_ word: UInt64) -> Bool { shared_generation_word(words) == word }

    /// Whether a commit is in progress, or its process was killed.
    public var isBeingCommitted: Bool { shared_generation_word(words) % 2 == 1 }

    /// Set the generation word from the database, after a process was killed during a commit. Fails with `.busy` when another
    /// process is still committing after 30 seconds.
    public func repairGeneration() throws(MAMError) {
        try connection.withConnection { database, guarded throws(MAMError) in try repairGeneration(database, guarded) }
    }

    /// Same as ``repairGeneration()``, without waiting: does nothing while another thread uses the connection, and fails with
    /// `.busy` while another process commits.
    public func repairGenerationIfFree() throws(MAMError) {
        _ = try connection.withConnectionIfFree { database, guarded throws(MAMError) in
            database.setBusyTimeout(milliseconds: 0)
            defer { database.setBusyTimeout(milliseconds: 30_000) }
            try repairGeneration(database, guarded)
        }
    }

    private func repairGeneration(_ database: Database, _ guarded: GuardedValues) throws(MAMError) {
        var seen: UInt64 = 0
        var generation: Int64 = 0
        let earlierCounter = guarded.rollbackDetector.file.read()
        try database.transaction { () throws(MAMError) in
            generation = try view(database, guarded, earlierCounter).counterRecord.generation
            seen = shared_generation_word(words)
        }
        // A writer that began since has set a word of its own.
        let repaired = GenerationWord.even(era: GenerationWord.nextEra(after: seen, generation), generation)
        _ = shared_generation_word_replace(words, seen, repaired)
        if seen != repaired { shared_wakeup_signal(words) }
    }

    /// Checkpoint the WAL and truncate it, so that no deleted data remains. Returns false while another process reads it.
    public func truncateWAL() throws(MAMError) -> Bool {
        try connection.withConnection { database, _ throws(MAMError) in
            try State.shrink(database)
            database.setBusyTimeout(milliseconds: 100)
            defer { database.setBusyTimeout(milliseconds: 30_000) }
            return try database.first("PRAGMA wal_checkpoint(TRUNCATE)") { !$0.bool(0) } ?? false
        }
    }

    /// Fail where the directory, the database, the root key or the file of the shared words was removed or replaced. Changes of
    /// this process would be lost, and those of others would not be seen.
    public func checkUnreplaced() throws(MAMError) {
        try fileIdentity.check()
        guard shared_words_check(directory.descriptor, State.generationFileName, words, wordsFile) != 0 else { return }
        throw MAMError(
            .tampered,
            "\(directory.path)/\(State.generationFileName): was removed or changed while the state was open; close and open again",
            [("path", .string("\(directory.path)/\(State.generationFileName)"))])
    }

    /// The form in diagnostics.
    public var summary: JSON {
        [
            "directory": .string(directory.path), "schema": .integer(Schema.version),
            "generation": .integer(GenerationWord.generation(shared_generation_word(words))),
            "counter": .integer(counterRecord.counter), "older": .bool(isRolledBack),
        ]
    }
}
