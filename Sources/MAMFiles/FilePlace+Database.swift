import CPlatform
import MAMSupport

/// SQLite locks and maps files by the place they have: another one put there costs what was committed meanwhile.
extension FilePlace {
    /// Whether what lies there begins as an SQLite database does, plain or encrypted.
    public func isDatabase() -> Bool {
        guard let (file, entry) = try? look(), entry.isFile else { return false }
        var bytes = [UInt8](repeating: 0, count: 16)
        var count = 0
        let result = bytes.withUnsafeMutableBytes { memory in
            memory.baseAddress.map { platform_peek(file.number, $0, memory.count, &count) } ?? -1
        }
        return result == 0 && Companion.isDatabase(bytes.prefix(count))
    }

    /// Whether it has the name of what SQLite keeps beside a database that is there: a log, its index, a journal.
    func isCompanion() -> Bool {
        let lengths = nameBytes.withUnsafeBufferPointer { Companion.databases(of: $0) }
        return lengths.contains { length in
            FilePlace(directory: directory, directoryPath: directoryPath, name: name[..<length] + [0]).isDatabase()
        }
    }
}
