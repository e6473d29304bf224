import CFiles
import MAMDirectory
import MAMSupport

/// The database of a service in one SQLite file, and the file of the key that wraps its secrets.
public struct ServiceFile: Sendable {
    /// The path of the database.
    public let path: String
    /// The path of the key file.
    public let keyPath: String

    /// A service's files, which need not exist yet.
    public init(path: String, keyPath: String) {
        self.path = path
        self.keyPath = keyPath
    }

    /// Make both files, readable by their owner alone, with a tenant and its keys. Returns the 32 secret bytes of the recovery key, which
    /// are kept nowhere. Fails with `.already` where one of the files exists.
    public func create(tenant: String, name: String?) throws(MAMError) -> SecretBytes {
        for path in [path, path + "-wal", path + "-journal", keyPath] {
            var facts = files_stat_t()
            guard files_lstat(path, &facts) == Int32(FILES_ENOENT) else {
                throw MAMError(
                    .already, "\(path): is there already; remove it first, or give another folder",
                    [("path", .string(path))])
            }
        }
        let key = try StoreKey.create(at: keyPath)
        // SQLite takes an empty file for a new database, and keeps its mode.
        try createPrivateFile(path, SecretBytes(count: 0) { _ in })
        let database = try Database(path: path, mode: .readWrite, busyTimeout: 5000)
        try ServiceFile.configure(database)
        return try database.transaction { () throws(MAMError) in
            try ServiceSchema.versions.upgrade(database, from: 0)
            let store = ServiceFile.store(database, key)
            try database.run(
                "INSERT INTO authority VALUES (1, ?, ?, NULL)", .optional(name), .text(tenant))
            return try store.createAuthorityKeys(wrappedBy: key)
        }
    }

    /// Open the database and the key for one thread at a time.
    func open() throws(MAMError) -> OpenService {
        let key = try StoreKey(path: keyPath)
        let database = try Database(path: path, mode: .readWrite, busyTimeout: 5000)
        try ServiceFile.configure(database)
        let id = try database.first("PRAGMA application_id") { $0.integer(0) }
        let version = try database.first("PRAGMA user_version") { $0.integer(0) } ?? 0
        guard id == ServiceSchema.applicationId, version >= 1 else {
            throw MAMError(.storage, "\(path): is no database of mamd", [("path", .string(path))])
        }
        guard version <= ServiceSchema.versions.latest else {
            throw MAMError(
                .version, "\(path): was made by a newer mamd (version \(version)); update this one",
                [("path", .string(path))])
        }
        try ServiceSchema.versions.check(database, version: version)
        try database.transaction { () throws(MAMError) in try ServiceSchema.versions.upgrade(database, from: version) }
        return OpenService(
            store: ServiceFile.store(database, key), key: key,
            place: ServicePlace(path: path, keyPath: keyPath))
    }

    private static func store(_ database: Database, _ key: StoreKey) -> Store {
        var store = Store(database: database, isWritable: true)
        store.exchangeCustody = key.wrapping
        store.countsChanges = true
        return store
    }

    /// Every commit is durable before it is acknowledged; readers and a writer do not wait for each other.
    private static func configure(_ database: Database) throws(MAMError) {
        try database.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
            PRAGMA temp_store = MEMORY
            """)
    }

}

/// The open files of a service. Not thread-safe: one thread at a time.
struct OpenService {
    let store: Store
    let key: StoreKey
    let place: ServicePlace
}

/// The place of a service's directory.
struct ServicePlace: DirectoryPlace {
    let path: String
    let keyPath: String
    var custody: Custody { .administered }
    var developmentReason: String? { nil }
    var isWritable: Bool { true }
    var isReadByOthers: Bool { false }
    var keyFile: KeyFile { KeyFile(of: path) }
}

extension ServiceFile {
    /// Copy the database, as of one moment, into a file that does not exist yet, while the service runs or not. The key file is not
    /// copied.
    public func copyDatabase(to copy: String) throws(MAMError) {
        try createPrivateFile(copy, SecretBytes(count: 0) { _ in })
        let database = try Database(path: path, mode: .readWrite, busyTimeout: 5000)
        try database.run("VACUUM INTO ?", .text(copy))
    }
}
