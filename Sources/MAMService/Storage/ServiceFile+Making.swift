import CFiles
import MAMDirectory
import MAMPostgreSQL
import MAMSupport

extension ServiceFile {
    /// Make the database and the key file, which its owner alone may read, with a tenant and its keys. The 32 secret bytes of the
    /// recovery key are kept nowhere: the caller has stored them before. Fails with `.already` where one of the files or the tables exist.
    public func create(tenant: String, name: String?, recovery: SecretBytes) throws(MAMError) {
        let files = server == nil ? [path, path + "-wal", path + "-journal", keyPath] : [keyPath]
        for path in files {
            var facts = files_stat_t()
            guard files_lstat(path, &facts) == Int32(FILES_ENOENT) else {
                throw MAMError(
                    .already, "\(path): is there already; remove it first, or give another folder",
                    [("path", .string(path))])
            }
        }
        let key = try StoreKey.create(at: keyPath)
        if let server {
            let database = try PostgreSQLDatabase(server)
            try database.structureTransaction { () throws(MAMError) in
                try PostgreSQLSchema(ServiceSchema.versions).create(in: database)
                try ServiceFile.store(database, key).create(tenant: tenant, name: name, key, recovery)
            }
            return
        }
        // SQLite takes an empty file for a new database, and keeps its mode.
        try createPrivateFile(path, SecretBytes(count: 0) { _ in })
        let database = try Database(path: path, mode: .readWrite, busyTimeout: 5000)
        try ServiceFile.configure(database)
        try database.transaction { () throws(MAMError) in
            try ServiceSchema.versions.upgrade(database, from: 0)
            try ServiceFile.store(database, key).create(tenant: tenant, name: name, key, recovery)
        }
    }

    /// The secret bytes of a new recovery key.
    public static func newRecoveryKey() throws(MAMError) -> SecretBytes { try SecretBytes.random(count: 32) }

    /// The tenant of a service whose database is on a server and made, and whose secrets this key file unwraps; nil for no such service.
    public func tenantOnServer() throws(MAMError) -> (id: String, name: String?)? {
        guard let server, let key = try? StoreKey(path: keyPath) else { return nil }
        let database = try PostgreSQLDatabase(server)
        guard try PostgreSQLSchema.isMade(in: database) else { return nil }
        let store = ServiceFile.store(database, key)
        do throws(MAMError) { _ = try store.signingKey(key) } catch {
            guard error.code == .keyUnavailable else { throw error }
            return nil
        }
        return (try store.tenantId(), try store.tenantName())
    }
}

extension Store {
    /// Insert the tenant and its keys.
    fileprivate func create(
        tenant: String, name: String?, _ key: StoreKey, _ recovery: SecretBytes
    ) throws(MAMError) {
        try database.run("INSERT INTO authority VALUES (1, ?, ?, NULL)", .optional(name), .text(tenant))
        try createAuthorityKeys(recovery, wrappedBy: key)
    }
}
