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

    /// How it stands, and what this user may do with it; nil where that says nothing of its content.
    var standing: FileStanding? {
        var standing = platform_standing_t()
        guard platform_standing_of(path, &standing) == 0 else { return nil }
        return FileStanding(
            device: standing.device, inode: standing.inode, size: standing.size, changed: standing.changed,
            owner: standing.owner, group: standing.group, mode: standing.mode, user: access.user(),
            isWritable: isWritable)
    }

    /// A user who owns the file can make it writable; one who can write its directory can replace it, or put a journal beside it
    /// that changes it; one who can write a directory above can put another file in its place.
    var custody: Custody { others == nil ? .administered : .development }

    /// Why others than its owner and root decide what the authority says, on one line; nil where they do not.
    var others: String? {
        var facts = platform_file_facts_t()
        guard platform_facts_of_path(path, &facts) == 0 else { return "the file cannot be looked at" }
        guard facts.owner != access.user() else { return "this user owns the file" }
        guard !access.isWritable(path) else { return "this user can write the file" }
        guard !access.isWritable(directory) else { return "this user can write the directory" }
        var found = platform_file_facts_t()
        var place = [CChar](repeating: 0, count: 4096)
        let result = platform_ground_of(path, facts.owner, &found, &place, place.count)
        guard result == 0 else {
            guard result == Int32(PLATFORM_EPERM) else { return "the way to the file cannot be looked at" }
            return "others than root and the file's owner can change \(String(nulTerminated: place))"
        }
        guard found.device == facts.device, found.inode == facts.inode else { return "the file was replaced just now" }
        return nil
    }

    /// Whether its mode lets other users read it. Their apps register nothing here, and report nothing.
    var isReadByOthers: Bool {
        var facts = platform_file_facts_t()
        return platform_facts_of_path(path, &facts) == 0 && facts.mode & 0o044 != 0
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
            path: plainPath, mode: isWritable ? .readWrite : .readOnly, busyTimeout: 5000, interrupts: interrupts,
            isBrief: true)
        do throws(MAMError) { try prepare(database) } catch {
            guard error.code == .storage else { throw error }
            throw self.error(.storage, "is not a libmam authority, or is damaged")
        }
        // What was looked at is what is open.
        var now = platform_file_facts_t()
        guard platform_facts_of_path(path, &now) == 0, now.device == facts.device, now.inode == facts.inode,
            !database.hasMoved
        else { throw error(.busy, "was replaced while it was opened; try again") }
        try upgrade(database, isWritable: isWritable && upgrades)
        // Beside the file itself, wherever a link to it lies.
        let keyFile = KeyFile(of: database.resolvedPath)
        var store = Store(database: database, isWritable: isWritable, keyFile: keyFile)
        guard isWritable else { return store }
        if try store.signingId() != nil {
            // Without its key a copy can be read, not changed.
            store.isWritable = keyFile.isReadable
        } else if upgrades, facts.owner == access.user() {
            try establish(store, keyFile)
        }
        return store
    }

    /// Give an authority of an older libmam its key. The key file comes first: a kill between the two leaves one that is used next.
    private func establish(_ store: Store, _ keyFile: KeyFile) throws(MAMError) {
        guard try store.signingId() == nil else { return }
        try store.database.transaction { () throws(MAMError) in
            if try store.signingId() == nil { try Signer.establish(store, keyFile) }
        }
    }

    /// The file of a new authority's secret key.
    var keyFile: KeyFile { KeyFile(of: path) }

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
                let store = Store(database: database, isWritable: true, keyFile: keyFile)
                let reply = try fill(store)
                try Signer.establish(store, keyFile)
                return reply
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
