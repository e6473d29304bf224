import CPlatform
import MAMSupport

/// SQLite locks and maps files by the place they have: another one put there costs what was committed meanwhile.
extension FilePlace {
    /// Whether what lies there begins as an SQLite database does, plain or encrypted.
    public func isDatabase() -> Bool {
        guard let (file, entry) = try? look(), entry.isFile else { return false }
        return (try? file.beginning(16, shown)).map { Companion.isDatabase($0) } ?? false
    }

    /// Whether it has the name of what SQLite keeps beside a database that is there: a log, its index, a journal.
    func isCompanion() -> Bool {
        let lengths = nameBytes.withUnsafeBufferPointer { Companion.databases(of: $0) }
        return lengths.contains { length in
            FilePlace(directory: directory, directoryPath: directoryPath, name: name[..<length] + [0]).isDatabase()
        }
    }
}
