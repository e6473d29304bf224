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

    let root: RootKey
    let stateKey: SealingKey
    let shares: ShareStore
    private let wordsFile: Int32
    private let place: StatePlace
    let connection: StateConnection
    private let vault: Vault  // of every key that hangs on the root key
    var lock: Lock { connection.lock }
    let progress: Progress  // guarded by `lock`
    var unlisted: UnlistedShares  // guarded by `lock`
    private var newcomer: AccountRowID?  // guarded by `lock`
    var leases = LeaseDescriptors()  // guarded by `lock`
    private var forkHooks: UInt64 = 0
    static let fileName = "state.db"
    static let wordsName = "generation"

    /// Open the state of an app group, made when there is none.
    public init(directory: StateDirectory, app: String, interrupts: Interrupts = Interrupts()) throws(MAMError) {
        try CryptoLibrary.start()
        try directory.checkFiles()
        self.directory = directory
        self.app = app
        self.connection = StateConnection(directory, interrupts)
        let vault = try Vault()
        self.vault = vault
        self.shares = ShareStore(directory: directory)
        // Read before the database is, so that it is not ahead of that.
        let copy = try CounterCopy(directory)
        let copied = copy.sealed()
        // This connection ends before the hooks that look after the next one are in place.
        let opened = try ForkGate.shared.pass { () throws(MAMError) in
            try State.prepare(try State.connect(directory, interrupts), directory, vault, copy, copied)
        }
        self.root = opened.root
        self.stateKey = opened.stateKey
        self.labelKey = opened.labelKey
        self.progress = opened.progress
        self.unlisted = opened.unlisted
        self.place = try StatePlace(directory)
        (self.words, self.wordsFile) = try State.attachWords(directory)
        self.forkHooks = platform_fork_add(
            platform_fork_hooks_t(
                context: Unmanaged.passUnretained(self).toOpaque(),
                before: { State.of($0)?.beforeFork() },
                after_parent: { State.of($0)?.lock.drop() },
                after_child: { State.of($0)?.afterForkInChild() }))
        PendingFile.sweep(directory)
        keepRoom()
        do throws(MAMError) { try repairGeneration() } catch {
            close()
            throw error
        }
    }

    /// Give the connection, the words and the fork hooks back, and zero every key, whoever holds it. Nothing of it may be used
    /// after.
    public func close() {
        // While the hooks still hold forks back.
        lock.held { connection.end() }
        platform_fork_remove(forkHooks)
        platform_words_close(words, wordsFile)
        vault.close()
    }

    // MARK: Reading and committing

    /// One state of the database, and the even generation word that stands for it. `.busy` when another thread kept the
    /// connection for longer than `milliseconds`.
    public func read<T>(
        within milliseconds: Int64 = 60_000, _ body: (StateView, UInt64) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        // Before the rows: a key destroyed after this makes what is read now out of date.
        let epoch = GenerationWord.epoch(platform_generation(words))
        return try connection.held(within: milliseconds) { database throws(MAMError) in
            let copied = progress.copy.sealed()
            return try database.snapshot { () throws(MAMError) in
                let view = try view(database, copied)
                return try body(view, GenerationWord.even(epoch: epoch, view.standing.generation))
            }
        }
    }

    /// Change rows that only their writer needs to see.
    ///
    /// `isCounted`: somebody could gain by taking the change back, so the counter grows with it. Attempts at PINs, what
    /// persons have shown, how long accounts were offline, and steps of wipes are counted. What follows a check-in is not: to
    /// take it back shortens what is allowed. Nor are plans of the next try, outcomes that were read, exchange keys, which the
    /// authority gives again, and the index of files, whose labels are at the files.
    public func write<T>(
        isCounted: Bool = false, _ body: (StateView) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        try connection.held { database throws(MAMError) in
            let copied = progress.copy.sealed()
            var begun: UInt32?
            defer { if let begun { platform_notes_end(words, begun) } }
            let value = try database.transaction { () throws(MAMError) in
                let view = try view(database, copied)
                begun = platform_notes_begin(words)
                let value = try body(view)
                if isCounted { try progress.advance(database) }
                return value
            }
            if isCounted { progress.committed() }
            return value
        }
    }

    /// In each transaction: what is in the database, once its schema is libmam's. `copied`: the counter's copy as it was before.
    func view(_ database: Database, _ copied: [UInt8]) throws(MAMError) -> StateView {
        try connection.checkSchema(database)
        if try progress.look(database, copied) {
            // Nobody answers by what it holds: to be older, or no longer, concerns every account.
            let word = platform_generation(words)
            let next = GenerationWord.even(epoch: GenerationWord.epoch(word) &+ 1, progress.standing.generation)
            if word % 2 == 0, platform_generation_replace(words, word, next) { platform_bell_ring(words) }
        }
        return StateView(state: self, database: database)
    }

    /// Counts the commits of ``write(_:)`` in every process; nil while one is under way. What is read after it was asked for
    /// is as new as it is.
    public var notes: UInt32? {
        let notes = platform_notes(words)
        return notes % 2 == 0 ? notes : nil
    }

    /// Change rows that a kill may not lose and a power failure may: what they say is written elsewhere as well.
    public func writeSoon<T>(_ body: (StateView) throws(MAMError) -> T) throws(MAMError) -> T {
        try connection.held { database throws(MAMError) in
            let copied = progress.copy.sealed()
            try database.execute("PRAGMA synchronous = NORMAL")
            defer { try? database.execute("PRAGMA synchronous = FULL") }
            return try database.transaction { () throws(MAMError) in try body(try view(database, copied)) }
        }
    }

    /// Change what every process of the group must obey: nothing is visible before the commit, nothing is lost after it.
    /// `.busy` when another process kept the database for longer than `milliseconds`. `mayAdd`: an account may be added, so the
    /// state notes its share as unfinished before there is one.
    public func publish<T>(
        within milliseconds: Int32 = 30_000, mayAdd: Bool = false, _ body: (StateView) throws(MAMError) -> T
    ) throws(MAMError) -> T {
        try connection.held(within: Int64(milliseconds) * 2) { database throws(MAMError) in
            database.setBusyTimeout(milliseconds: milliseconds)
            defer { database.setBusyTimeout(milliseconds: 30_000) }
            let copied = progress.copy.sealed()
            let unfinished = mayAdd ? try noteUnfinished(database, copied) : nil
            newcomer = unfinished
            defer { newcomer = nil }
            try database.execute("BEGIN IMMEDIATE")
            var before: UInt64 = 0
            var mine: UInt64 = 0
            do throws(MAMError) {
                let view = try view(database, copied)
                let generation = view.standing.generation
                var epoch: UInt64
                var seen: UInt64
                // Nobody's odd word is overwritten unseen: an account may have been closed by it.
                repeat {
                    seen = platform_generation(words)
                    epoch = State.nextEpoch(seen, generation)
                    before = GenerationWord.even(epoch: epoch, generation)
                    mine = GenerationWord.odd(epoch: epoch, generation, mark: platform_closing_mark(words))
                } while !platform_generation_replace(words, seen, mine)
                let value = try body(view)
                progress.standing.unfinished.removeAll { $0 == unfinished }
                try progress.advance(database, isPublished: true)
                try database.execute("COMMIT")
                progress.committed()
                _ = platform_generation_replace(words, mine, GenerationWord.even(epoch: epoch, generation &+ 1))
                platform_bell_ring(words)
                return value
            } catch {
                try? database.execute("ROLLBACK")
                if let unfinished { shares.removeUnfinished(unfinished) }
                _ = platform_generation_replace(words, mine, before)
                throw error
            }
        }
    }

    private func noteUnfinished(_ database: Database, _ copied: [UInt8]) throws(MAMError) -> AccountRowID {
        let id = try AccountRowID.make()
        try database.transaction { () throws(MAMError) in
            _ = try view(database, copied)
            try progress.noteUnfinished(id, database)
        }
        return id
    }

    /// The number of the account that is being added, once; inside a commit.
    func takeNewcomer() -> AccountRowID? {
        defer { newcomer = nil }
        return newcomer
    }

    /// Whether the word says that nobody is committing and `generation` is the latest.
    public func isCurrent(_ generation: UInt64) -> Bool { platform_generation(words) == generation }

    /// Whether the word says that somebody is committing, or was killed while doing so.
    public var isBeingCommitted: Bool { platform_generation(words) % 2 == 1 }

    /// Make the word tell the database's generation: a process killed while it committed leaves it odd. `.busy` when
    /// another process is still committing after 30 seconds.
    public func repairGeneration() throws(MAMError) {
        try connection.held { database throws(MAMError) in try repairGeneration(database) }
    }

    /// The same at once, or not at all while another thread uses the connection; `.busy` while another process commits.
    public func repairGenerationIfFree() throws(MAMError) {
        _ = try connection.heldIfFree { database throws(MAMError) in
            database.setBusyTimeout(milliseconds: 0)
            defer { database.setBusyTimeout(milliseconds: 30_000) }
            try repairGeneration(database)
        }
    }

    private func repairGeneration(_ database: Database) throws(MAMError) {
        var seen: UInt64 = 0
        var generation: Int64 = 0
        let copied = progress.copy.sealed()
        try database.transaction { () throws(MAMError) in
            generation = try view(database, copied).standing.generation
            seen = platform_generation(words)
        }
        // Whoever began to commit since has set a word of its own.
        let repaired = GenerationWord.even(epoch: State.nextEpoch(seen, generation), generation)
        _ = platform_generation_replace(words, seen, repaired)
        if seen != repaired { platform_bell_ring(words) }
    }

    /// Move everything from the log into the database and empty it, so that nothing deleted stays in it; false when another
    /// process is reading it just now.
    public func truncateLog() throws(MAMError) -> Bool {
        try connection.held { database throws(MAMError) in
            try State.shrink(database)
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
            "counter": .integer(standing.counter), "older": .bool(isOlder),
        ]
    }

    // MARK: Forks

    private static func of(_ context: UnsafeMutableRawPointer?) -> State? {
        context.map { Unmanaged<State>.fromOpaque($0).takeUnretainedValue() }
    }

    /// SQLite's locks belong to the process: no connection may be open while it forks. The next use opens one.
    private func beforeFork() {
        lock.take()
        connection.end()
    }

    /// The leases belong to the parent: their locks last as long as any copy of the descriptors. Nothing is freed here.
    private func afterForkInChild() {
        leases.close()
        lock.reset()
    }
}
