import CPlatform
import MAMProtection
import MAMSupport

/// Finding the database and what it is sealed with, or making both.
extension State {
    /// Turning a new file into a WAL database answers busy at once when two processes do it, whatever the timeout: try again.
    static func connect(
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

    static func attachWords(
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

    /// What opening finds or makes.
    struct Opened {
        let root: RootKey
        let stateKey: SealingKey
        let labelKey: LabelKey
        let deviceTag: String
    }

    static func prepare(_ database: Database, _ directory: StateDirectory) throws(MAMError) -> Opened {
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

    static func key(_ name: String, _ database: Database, _ root: RootKey) throws(MAMError) -> SecretBytes {
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
}
