import CPlatform
import MAMSupport

/// What SQLite keeps beside a database of the account, and nobody owns by a word of its own.
extension Sweep {
    /// Before the databases themselves, so that a sweep that is killed finds them by those again.
    func removeCompanions(_ listing: Listing) throws(MAMError) {
        var failure: MAMError?
        listing.each { item in
            guard failure == nil, item.isFile || item.isUnknown else { return }
            let length = platform_text_length(item.name, 4096)
            let databases = item.name.withMemoryRebound(to: UInt8.self, capacity: length) {
                Companion.databases(of: UnsafeBufferPointer(start: $0, count: length))
            }
            guard !databases.isEmpty else { return }
            do throws(MAMError) { try removeCompanion(item, of: databases) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func removeCompanion(_ item: Listing.Item, of databases: [Int]) throws(MAMError) {
        var entry = platform_entry_t()
        guard platform_entry_at(directory.number, item.name, &entry) == 0, entry.isFile else { return }
        // What says itself whose it is, or is known to the index, is looked at like any other file.
        let attribute = Int(removal.reader.read(directory.number, item.name))
        guard attribute == PLATFORM_ENODATA || attribute == PLATFORM_EOPNOTSUPP, try !isIndexed(entry) else { return }
        for length in databases {
            if try isOurDatabase(item.characters[..<length] + [0], beside: item.name) { return removeFile(item, entry) }
        }
    }

    private func isOurDatabase(_ name: [CChar], beside companion: UnsafePointer<CChar>) throws(MAMError) -> Bool {
        var entry = platform_entry_t()
        guard platform_entry_at(directory.number, name, &entry) == 0, entry.isFile else { return false }
        let result = removal.reader.read(directory.number, name)
        guard let attribute = try? removal.reader.take(result, "") else { return false }
        guard case .ours = try judge(attribute, name) else { return false }
        guard let bytes = beginning(name) else { return false }
        // One whose first transaction was cut off has nothing in it.
        if bytes.isEmpty { return beginning(companion).map { Companion.isLogOrJournal($0) } ?? false }
        return Companion.isDatabase(bytes)
    }

    /// nil where it cannot be read.
    private func beginning(_ name: UnsafePointer<CChar>) -> [UInt8]? {
        var number: Int32 = -1
        var entry = platform_entry_t()
        guard platform_open_entry(directory.number, name, &number, &entry) == 0 else { return nil }
        let file = Descriptor(number, isHostFile: true)
        return entry.isFile ? try? file.beginning(16, "") : nil
    }

    /// Whether the index knows the very file, whoever's.
    private func isIndexed(_ entry: platform_entry_t) throws(MAMError) -> Bool {
        try removal.state.read { (view, _) throws(MAMError) in
            try view.files.find(inode: entry.inode).contains { $0.file.map { $0.number.isSame(entry.number) } ?? true }
        }
    }
}
