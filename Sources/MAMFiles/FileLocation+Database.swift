import MAMSupport

/// SQLite locks and maps files by inode. Replacing one while it is open loses commits.
extension FileLocation {
    /// Whether the file is an SQLite database, plain or encrypted.
    public func isDatabase() -> Bool {
        guard let (file, entry) = try? look(), entry.isFile else { return false }
        return (try? file.firstBytes(16, displayPath)).map { DatabaseSidecar.isDatabase($0) } ?? false
    }

    /// Whether the file has the name of a sidecar of an existing database.
    public func isDatabaseSidecar() -> Bool { !databases().isEmpty }

    /// The existing databases whose sidecar the file is by its name; almost always none.
    func databases() -> [FileLocation] { possibleDatabases().filter { $0.isDatabase() } }

    /// The places of the databases whose sidecar the file is by its name.
    func possibleDatabases() -> [FileLocation] {
        let lengths = nameBytes.withUnsafeBufferPointer { DatabaseSidecar.databases(of: $0) }
        return lengths.map { length in
            FileLocation(directory: directory, directoryPath: directoryPath, name: name[..<length] + [0])
        }
    }
}
