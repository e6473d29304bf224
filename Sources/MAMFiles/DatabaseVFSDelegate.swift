import MAMProtection
import MAMSupport

/// Provides keys and counts to an SQLite VFS. Its functions must not use the database that calls them. Thread-safe.
public protocol DatabaseVFSDelegate {
    /// Set the present access after the state has changed. Returns false where the databases are closed, `isOpening`: where none
    /// may be opened; the reason is then the thread's last error.
    func refresh(_ vfs: DatabaseVFS, isOpening: Bool) -> Bool
    /// Whether a database at a path may be opened or created. The reason why it is refused is then the thread's last error. It does
    /// not open the file.
    func authorize(_ path: String, _ vfs: DatabaseVFS) -> DatabaseAuthorization
    /// The key of an epoch, or the newest for 0; nil where there is none. Fails where the databases are closed.
    func key(ofEpoch epoch: UInt32, _ vfs: DatabaseVFS) throws(MAMError) -> DataKey?
    /// Count pages before they are sealed, and return how many may be. 0 where the limit is reached or counting fails.
    func reserve(_ vfs: DatabaseVFS) -> Int64
    /// Report an event at a path, which is empty for a temporary file.
    func report(_ event: DatabaseEvent, at path: String, _ vfs: DatabaseVFS)
}

/// Whether a database may be opened.
public enum DatabaseAuthorization: Sendable {
    case allowed
    /// It may be opened if it is encrypted: its key decides.
    case allowedUnlessPlain
    case refused
}

/// An event of a VFS.
public enum DatabaseEvent: Sendable {
    /// A page does not verify.
    case damaged(page: UInt64)
    /// The file is neither a plain nor an encrypted database.
    case unknownFormat
    /// A page was refused because of its size, or because it has no reserved bytes.
    case badLayout
    /// A plain database was opened, and is only read, since new ones are encrypted.
    case staysPlain
    /// Nothing was written to such a database.
    case notWritten
    /// A database is being created; it is not locked yet.
    case creating
    /// A database was not created, because no new ones are allowed.
    case notCreated
    /// A database was not opened, because it is plain and not allowed to be.
    case notOpened
}
