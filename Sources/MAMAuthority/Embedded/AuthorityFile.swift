import CPlatform
import MAMSupport

/// The file of an embedded authority: where it is, whose it is, and how it is opened.
struct AuthorityFile: Sendable {
    let path: String
    let access: FileAccess
    let interrupts: Interrupts?
    private let directory: String
    private let name: String

    init(path: String, access: FileAccess = .system, interrupts: Interrupts? = nil) {
        self.path = path
        self.interrupts = interrupts
        self.access = access
        let bytes = Array(path.utf8)
        if let slash = bytes.lastIndex(of: UInt8(ascii: "/")) {
            directory = slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
            name = String(decoding: bytes[(slash + 1)...], as: UTF8.self)
        } else {
            directory = "."
            name = path
        }
    }

    /// Whether this user can write here. SQLite needs the directory as well, for its journal.
    var isWritable: Bool { access.isWritable(path) && access.isWritable(directory) }

    /// A user who owns the file can make it writable; one who can write its directory can replace it, or put a
    /// journal beside it that changes it.
    var custody: Custody {
        var facts = platform_file_facts_t()
        guard platform_facts_of_path(path, &facts) == 0, facts.owner != access.user(), !access.isWritable(path),
            !access.isWritable(directory)
        else { return .development }
        return .administered
    }

    /// Open it, for reading alone where this user cannot write it.
    func open() throws(MAMError) -> Store { try open(isWritable: isWritable, upgrades: true) }

    /// Open it to look at: nothing of it changes, and one of an older libmam stays as it is.
    func openToLook() throws(MAMError) -> Store {
        // What a killed writer left half done is undone by whoever may write.
        let store = try open(isWritable: isWritable, upgrades: false)
        try store.database.execute("PRAGMA query_only = ON")
        return Store(database: store.database, isWritable: false)
    }

    /// All of it in memory, to try out what changes would do. The file is only read.
    func copyInMemory() throws(MAMError) -> Store {
        let database = try openToLook().database.copyInMemory(limit: AuthorityFile.largestCopy)
        try settle(database)
        try upgrade(database, isWritable: true)
        return Store(database: database, isWritable: true)
    }

    private static let largestCopy: Int64 = 128 << 20

    private func open(isWritable: Bool, upgrades: Bool) throws(MAMError) -> Store {
        var facts = platform_file_facts_t()
        let looked = platform_facts_of_path(path, &facts)
        if looked == Int32(PLATFORM_ENOENT) {
            throw error(
                .notFound, "there is no such file, so no authority; correct the path, or make one (authority create)")
        }
        guard looked == 0 else { throw .system(looked, "look at it", path: path) }
        guard facts.mode & 0o170000 == 0o100000 else { throw error(.storage, "is not a file, so it is no authority") }
        let database = try Database(
            path: plainPath, mode: isWritable ? .readWrite : .readOnly, busyTimeout: 5000, interrupts: interrupts)
        do throws(MAMError) { try prepare(database) } catch {
            guard error.code == .storage else { throw error }
            throw self.error(.storage, "is not a libmam authority, or is damaged")
        }
        try upgrade(database, isWritable: isWritable && upgrades)
        return Store(database: database, isWritable: isWritable)
    }

    /// Make it, readable by its owner alone.
    func create(_ fill: (Store) throws(MAMError) -> JSON) throws(MAMError) -> JSON {
        var descriptor: Int32 = -1
        let opened = platform_open_directory(directory, &descriptor)
        guard opened == 0 else { throw .system(opened, "open the directory", path: directory) }
        defer { platform_close(descriptor) }
        let made = platform_create_at(descriptor, name, "", 0)
        if made == Int32(PLATFORM_EEXIST) {
            throw error(.already, "is there already; remove it first, or give another path")
        }
        guard made == 0 else { throw .system(made, "make the file", path: path) }
        do throws(MAMError) {
            let database = try Database(path: plainPath, mode: .readWrite, busyTimeout: 5000)
            // Not WAL: a reader who may not write here could not read it then.
            try database.execute("PRAGMA journal_mode = DELETE")
            try settle(database)
            return try database.transaction { () throws(MAMError) in
                try Schema.versions.upgrade(database, from: 0)
                return try fill(Store(database: database, isWritable: true))
            }
        } catch {
            // Not a key: only the way to remove what was begun.
            _ = platform_shred_at(descriptor, name)
            throw error
        }
    }

    private func prepare(_ database: Database) throws(MAMError) {
        try settle(database)
        // Version and tables of one moment: another process may be upgrading the file.
        try database.snapshot { () throws(MAMError) in
            let id = try database.first("PRAGMA application_id") { $0.integer(0) }
            let version = try AuthorityFile.version(of: database)
            guard id == Schema.applicationId, version >= 1 else { throw error(.storage, "is no authority") }
            guard version <= Schema.version else {
                throw error(.version, "was made by a newer libmam (version \(version)); update this one")
            }
            try Schema.versions.check(database, version: version)
        }
    }

    /// Give a file of an older libmam the tables that it lacks.
    private func upgrade(_ database: Database, isWritable: Bool) throws(MAMError) {
        let version = try AuthorityFile.version(of: database)
        guard version < Schema.version else { return }
        guard isWritable else { return try database.execute(Schema.absentTables(in: version)) }
        try database.transaction { () throws(MAMError) in
            // Another process may have been first.
            try Schema.versions.upgrade(database, from: AuthorityFile.version(of: database))
            try Store(database: database, isWritable: true).makeExchangeKeys()
        }
    }

    private static func version(of database: Database) throws(MAMError) -> Int64 {
        try database.first("PRAGMA user_version") { $0.integer(0) } ?? 0
    }

    private func settle(_ database: Database) throws(MAMError) {
        try database.execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY")
    }

    private func error(_ code: MAMError.Code, _ message: String) -> MAMError {
        MAMError(code, "\(path): \(message)", [("path", .string(path))])
    }

    /// SQLite gives names like ":memory:" and "file:x" a meaning of their own.
    private var plainPath: String { path.utf8.first == UInt8(ascii: "/") ? path : "./" + path }
}
