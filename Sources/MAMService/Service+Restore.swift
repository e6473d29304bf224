import MAMDirectory
import MAMSupport

extension Service {
    /// Accept a database that was put back from a copy: its changes are counted from beyond every number that clients can have seen.
    /// Returns the number of the latest change.
    public func acceptRestoredDatabase(now: Instant) throws(MAMError) -> Int64 {
        try files.store.database.transaction { () throws(MAMError) in
            try files.store.raiseSequence(by: Store.raise(of: try files.store.sequence(), accepting: now))
            return try files.store.sequence()
        }
    }
}
