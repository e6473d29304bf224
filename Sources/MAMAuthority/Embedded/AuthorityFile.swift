import CFiles
import MAMSupport

/// The file of an embedded authority: its path, its ownership, and how it is opened.
struct AuthorityFile: Sendable {
    let path: String
    let access: UserFileRights
    let interrupts: InterruptSource?
    let directory: String
    private let name: String

    init(path: String, access: UserFileRights = .system, interrupts: InterruptSource? = nil) {
        self.path = path
        self.interrupts = interrupts
        self.access = access
        (directory, name) = splitPath(path)
    }

    /// Whether this user can write the authority. SQLite also needs the directory, for its journal.
    var isWritable: Bool { access.isWritable(path) && access.isWritable(directory) }

    /// The file's attributes and this user's rights; nil where they cannot prove that its content is unchanged.
    var stamp: FileStamp? {
        var fingerprint = files_fingerprint_t()
        guard files_database_fingerprint(path, &fingerprint) == 0 else { return nil }
        return FileStamp(
            device: fingerprint.device, inode: fingerprint.inode, size: fingerprint.size, changed: fingerprint.changed,
            owner: fingerprint.owner, group: fingerprint.group, mode: fingerprint.mode, user: access.user(),
            isWritable: isWritable)
    }

    /// Whether other users can read the file. Their apps cannot register or report there.
    var isReadByOthers: Bool {
        var facts = files_stat_t()
        return files_stat(path, &facts) == 0 && facts.mode & 0o044 != 0
    }

    /// The size in bytes; nil where the file cannot be looked at.
    var size: Int64? {
        var facts = files_stat_t()
        return files_stat(path, &facts) == 0 ? facts.size : nil
    }

    /// Open the file, read-only where this user cannot write it.
    func open() throws(MAMError) -> Store { try open(isWritable: isWritable, upgrades: true).store }

    /// Open the file without changing it; the tables of an older version are not upgraded on disk.
    func openReadOnly() throws(MAMError) -> Store { Store(database: try readOnlyDatabase(), isWritable: false) }

    private func readOnlyDatabase() throws(MAMError) -> Database {
        // A writable connection lets SQLite roll back the journal of a killed writer.
        let database = try open(isWritable: isWritable, upgrades: false).database
        try database.execute("PRAGMA query_only = ON")
        return database
    }

    /// Copy the authority into memory for a simulation. The file is opened read-only.
    func copyInMemory() throws(MAMError) -> Store {
        let database = try readOnlyDatabase().copyInMemory(limit: AuthorityFile.maximumCopySize)
        try configure(database)
        try upgrade(database, isWritable: true)
        return Store(database: database, isWritable: true)
    }

    /// The size up to which monitors search the whole file for damage at each look.
    static let maximumSearchedSize: Int64 = 64 << 20
    private static let maximumCopySize: Int64 = 128 << 20

    /// The way on where there is no file.
    private var absence: String {
        if isNameOfSocket { return "there is no such socket; start mamd, or correct the path" }
        return path.split(separator: "/").contains("https:")
            ? "there is no such file; a service is given by the file with its settings (mamd settings)"
            : "there is no such file, so no authority; correct the path, or make one (authority create)"
    }

    /// Whether a service's socket for administrators has such a name.
    private var isNameOfSocket: Bool { path.utf8.suffix(5).elementsEqual(".sock".utf8) }

    private func open(isWritable: Bool, upgrades: Bool) throws(MAMError) -> (database: Database, store: Store) {
        var facts = files_stat_t()
        let looked = files_stat(path, &facts)
        if looked == Int32(FILES_ENOENT) {
            throw error(.notFound, absence)
        }
        guard looked == 0 else { throw .system(looked, "look at it", path: path) }
        guard facts.mode & 0o170000 == 0o100000 else { throw error(.storage, "is not a file, so it is no authority") }
        let database = try Database(
            path: plainPath, mode: isWritable ? .readWrite : .readOnly, busyTimeout: 5000, interrupts: interrupts,
            isShortLived: true)
        do throws(MAMError) { try prepare(database) } catch {
            guard error.code == .storage else { throw error }
            throw self.error(.storage, "is not a libmam authority, or is damaged")
        }
        // The open file must be the one that was checked.
        var now = files_stat_t()
        guard files_stat(path, &now) == 0, now.device == facts.device, now.inode == facts.inode,
            !database.hasMoved
        else { throw error(.busy, "was replaced while it was opened; try again") }
        try upgrade(database, isWritable: isWritable && upgrades)
        // The key file is next to the file itself, not next to a symbolic link.
        let keyFile = KeyFile(of: database.resolvedPath)
        var store = Store(database: database, isWritable: isWritable, keyFile: keyFile)
        guard isWritable else { return (database, store) }
        if try store.signingId() != nil {
            // A copy without its key file is read-only.
            store.isWritable = keyFile.isReadable
        } else if upgrades, facts.owner == access.user() {
            try createIdentity(store, keyFile)
        }
        return (database, store)
    }

    /// Give an authority of an older version its identity. The key file is created first; after a kill in between, the next attempt
    /// uses it.
    private func createIdentity(_ store: Store, _ keyFile: KeyFile) throws(MAMError) {
        guard try store.signingId() == nil else { return }
        try store.database.transaction { () throws(MAMError) in
            if try store.signingId() == nil { try Signer.createIdentity(store, keyFile) }
        }
    }

    /// The key file of a new authority.
    var keyFile: KeyFile { KeyFile(of: path) }

    /// Create the file, accessible by its owner alone.
    func create(_ fill: (Store) throws(MAMError) -> JSON) throws(MAMError) -> JSON {
        guard !isNameOfSocket else {
            throw error(.argument, "is the name of a service's socket; an authority in a file needs another one")
        }
        var descriptor: Int32 = -1
        let opened = files_open_directory(directory, &descriptor)
        guard opened != Int32(FILES_ENOENT) else {
            throw MAMError(
                .notFound, "\(path): there is no directory \(directory); make it first, or give another path",
                [("path", .string(directory))])
        }
        guard opened == 0 else { throw .system(opened, "open the directory", path: directory) }
        defer { files_close(descriptor) }
        let made = files_create_at(descriptor, name, "", 0)
        if made == Int32(FILES_EEXIST) {
            throw error(.already, "is there already; give another path, or move away a file that nobody needs")
        }
        guard made == 0 else { throw .system(made, "make the file", path: path) }
        do throws(MAMError) {
            let database = try Database(path: plainPath, mode: .readWrite, busyTimeout: 5000)
            // Not WAL: a reader without write access could not open it.
            try database.execute("PRAGMA journal_mode = DELETE")
            try configure(database)
            return try database.transaction { () throws(MAMError) in
                try Schema.migrations.upgrade(database, from: 0)
                let store = Store(database: database, isWritable: true, keyFile: keyFile)
                let reply = try fill(store)
                try Signer.createIdentity(store, keyFile)
                return reply
            }
        } catch {
            // Removes the unfinished file.
            _ = files_shred_at(descriptor, name)
            throw error
        }
    }

    private func prepare(_ database: Database) throws(MAMError) {
        try configure(database)
        // One snapshot for version and tables: another process may be upgrading the file.
        try database.snapshot { () throws(MAMError) in
            let id = try database.first("PRAGMA application_id") { $0.integer(0) }
            let version = try AuthorityFile.version(of: database)
            guard id == Schema.applicationId, version >= 1 else { throw error(.storage, "is no authority") }
            guard version <= Schema.version else {
                throw error(.version, "was made by a newer libmam (version \(version)); update this one")
            }
            try Schema.migrations.check(database, version: version)
        }
    }

    /// Create the tables that an older version lacks.
    private func upgrade(_ database: Database, isWritable: Bool) throws(MAMError) {
        let version = try AuthorityFile.version(of: database)
        guard version < Schema.version else { return }
        guard isWritable else { return try database.execute(Schema.missingTables(in: version)) }
        try database.transaction { () throws(MAMError) in
            // Another process may have upgraded it in the meantime.
            try Schema.migrations.upgrade(database, from: AuthorityFile.version(of: database))
            try Store(database: database, isWritable: true).createMissingExchangeKeys()
        }
    }

    private static func version(of database: Database) throws(MAMError) -> Int64 {
        try database.first("PRAGMA user_version") { $0.integer(0) } ?? 0
    }

    private func configure(_ database: Database) throws(MAMError) {
        try database.execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY")
    }

    private func error(_ code: MAMError.Code, _ message: String) -> MAMError {
        MAMError(code, "\(path): \(message)", [("path", .string(path))])
    }

    /// SQLite interprets names such as ":memory:" and "file:x".
    private var plainPath: String { path.utf8.first == UInt8(ascii: "/") ? path : "./" + path }
}
