import CFiles
import MAMDirectory
import MAMPostgreSQL
import MAMSupport

/// The database of a service, one SQLite file or a PostgreSQL database, and the file of the key that wraps its secrets.
public struct ServiceFile: Sendable {
    /// The path of the SQLite database, which is not used where there is a server.
    public let path: String
    /// The path of the key file.
    public let keyPath: String
    /// The PostgreSQL database; nil for SQLite.
    public let server: PostgreSQLTarget?
    /// A copy of that database that follows it, for what check-ins read; nil for none.
    public let replica: PostgreSQLTarget?

    /// A service's files, which need not exist yet.
    public init(path: String, keyPath: String, server: PostgreSQLTarget? = nil, replica: PostgreSQLTarget? = nil) {
        (self.path, self.keyPath, self.server, self.replica) = (path, keyPath, server, replica)
    }

    /// Open the database and the key for one thread at a time.
    func open() throws(MAMError) -> OpenService {
        let key = try StoreKey(path: keyPath)
        let database: any SQLDatabase
        if let server {
            let connection = try PostgreSQLDatabase(server)
            try PostgreSQLSchema(ServiceSchema.versions).upgrade(connection)
            database = connection
        } else {
            database = try openFile()
        }
        return OpenService(
            store: ServiceFile.store(database, key), key: key,
            place: ServicePlace(path: database.path, keyPath: keyPath))
    }

    /// Open the SQLite database, brought to the latest version.
    func openFile() throws(MAMError) -> Database {
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
        return database
    }

    static func store(_ database: any SQLDatabase, _ key: StoreKey) -> Store {
        var store = Store(database: database, isWritable: true)
        store.exchangeCustody = key.wrapping
        store.countsChanges = true
        return store
    }

    /// Every commit is durable before it is acknowledged; readers and a writer do not wait for each other.
    static func configure(_ database: Database) throws(MAMError) {
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
    /// Fails where ``copyDatabase(to:)`` is for the database's own programs.
    public func checkIsCopied() throws(MAMError) {
        guard let server else { return }
        throw MAMError(
            .unsupported, "\(server.name): copy it with pg_dump, and the other files of the folder as they are",
            [("path", .string(server.name))])
    }

    /// Copy the database, as of one moment, into a file that does not exist yet, while the service runs or not. The key file is not
    /// copied.
    public func copyDatabase(to copy: String) throws(MAMError) {
        try checkIsCopied()
        try createPrivateFile(copy, SecretBytes(count: 0) { _ in })
        let database = try Database(path: path, mode: .readWrite, busyTimeout: 5000)
        try database.run("VACUUM INTO ?", .text(copy))
    }
}
