import CFiles
import CProcess
import MAMSupport

/// Sidecars of the account's databases, which have no label of their own.
extension DirectoryRemoval {
    /// Remove sidecars whose database is the account's. The databases are removed later, so that a wipe that was killed
    /// recognises the remaining sidecars again.
    func removeSidecars(_ listing: DirectoryListing) throws(MAMError) {
        for index in 0..<listing.count {
            guard let entry = listing.entry(index), entry.isFile || entry.isUnknown else { continue }
            let length = process_text_length(entry.name, 4096)
            let databases = entry.name.withMemoryRebound(to: UInt8.self, capacity: length) {
                DatabaseSidecar.databases(of: UnsafeBufferPointer(start: $0, count: length))
            }
            if !databases.isEmpty, !isLibraryFile(entry) { try removeSidecar(entry, of: databases) }
        }
    }

    private func removeSidecar(
        _ listed: DirectoryListing.Entry, of databases: [Int]
    ) throws(MAMError) {
        var entry = files_entry_t()
        guard files_entry_at(descriptor.number, listed.name, &entry) == 0, entry.isFile else { return }
        // A file with a label or an index entry is processed like any other file.
        let attribute = Int(matcher.reader.read(descriptor.number, listed.name))
        guard attribute == FILES_ENODATA || attribute == FILES_EOPNOTSUPP, try !matcher.isIndexed(entry.fileID) else {
            return
        }
        for length in databases {
            if try isOurDatabase(listed.characters[..<length] + [0], sidecar: listed.name) {
                return removeFile(listed, entry)
            }
        }
    }

    /// Whether a file without a label is the sidecar of another owner's database, which without it loses what was committed.
    func isSidecarOfOthers(_ name: [UInt8]) throws(MAMError) -> Bool {
        let databases = name.withUnsafeBufferPointer { DatabaseSidecar.databases(of: $0) }
        for length in databases {
            let database = name[..<length].map { CChar(bitPattern: $0) } + [0]
            if case .others = try verdict(ofDatabase: database) { return true }
        }
        return false
    }

    /// The verdict on the file of a name that a sidecar has in its own; nil where none can be looked at.
    private func verdict(ofDatabase name: [CChar]) throws(MAMError) -> Verdict? {
        var entry = files_entry_t()
        guard files_entry_at(descriptor.number, name, &entry) == 0, entry.isFile,
            let attribute = try? matcher.reader.decode(matcher.reader.read(descriptor.number, name), "")
        else { return nil }
        return try verdict(attribute, name)
    }

    private func isOurDatabase(
        _ name: [CChar], sidecar: UnsafePointer<CChar>
    ) throws(MAMError) -> Bool {
        guard case .ours = try verdict(ofDatabase: name) else { return false }
        guard let bytes = firstBytes(of: name) else { return false }
        // A database is empty until its first transaction is written back.
        if bytes.isEmpty { return firstBytes(of: sidecar).map { DatabaseSidecar.isLogOrJournal($0) } ?? false }
        return DatabaseSidecar.isDatabase(bytes)
    }

    /// The first bytes of a file; nil where it cannot be read.
    private func firstBytes(of name: UnsafePointer<CChar>) -> [UInt8]? {
        var number: Int32 = -1
        var entry = files_entry_t()
        guard files_open_entry(descriptor.number, name, &number, &entry) == 0 else { return nil }
        let file = Descriptor(number, isHostFile: true)
        return entry.isFile ? try? file.firstBytes(16, "") : nil
    }
}
