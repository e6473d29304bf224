import MAMProtection
import MAMSupport

/// Answers an SQLite file system about an account's databases. No function may use the database that it is called for. Any
/// thread.
public protocol DatabaseKeeper {
    /// The state has changed: publish what holds now. False: the databases are closed.
    func refresh(_ system: DatabaseFileSystem) -> Bool
    /// The key of an epoch, or the newest (0); nil where there is none. It throws where the databases are closed.
    func key(ofEpoch epoch: UInt32, _ system: DatabaseFileSystem) throws(MAMError) -> DataKey?
    /// Count pages that are going to be sealed: how many. 0: none may be, or that cannot be written down.
    func reserve(_ system: DatabaseFileSystem) -> Int64
    /// Something was noticed, or begun, at a path; of a temporary file that is empty.
    func report(_ event: DatabaseEvent, at path: String, _ system: DatabaseFileSystem)
}

/// A report of a file system.
public enum DatabaseEvent: Sendable {
    /// A page does not verify.
    case damaged(page: UInt64)
    /// The file is of neither form, or of another kind.
    case foreign
    /// A page of another size, or without the reserved bytes, was refused.
    case layout
    /// A plain database stays plain although new ones are encrypted.
    case plain
    /// A database is begun, of either form; nobody has a lock on it.
    case created
}
