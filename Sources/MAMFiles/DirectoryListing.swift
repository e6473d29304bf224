import CFiles
import CProcess
import MAMSupport

/// The entries of a directory, in batches, ordered by inode as on the disk.
final class DirectoryListing {
    /// An entry.
    struct Entry {
        /// Valid until the next batch.
        let name: UnsafePointer<CChar>
        let inode: UInt64
        let type: UInt8
        /// Whether ``files_remove_marked`` has removed it.
        let isRemoved: Bool

        /// The name with its NUL.
        var characters: [CChar] {
            Array(UnsafeBufferPointer(start: name, count: process_text_length(name, 4096) + 1))
        }
        /// The name.
        var nameBytes: [UInt8] { characters.dropLast().map { UInt8(bitPattern: $0) } }
        /// Links, pipes, sockets and devices have no label.
        var mayBeOwned: Bool { isDirectory || isFile || isUnknown }
        var isDirectory: Bool { type == UInt8(FILES_TYPE_DIRECTORY) }
        var isFile: Bool { type == UInt8(FILES_TYPE_REGULAR) }
        var isUnknown: Bool { type == UInt8(FILES_TYPE_UNKNOWN) }
    }

    private var listing = files_listing_t()
    private let path: [UInt8]

    init(_ directory: Descriptor, path: [UInt8]) throws(MAMError) {
        self.path = path
        try check(files_listing_open(directory.number, &listing), "list the directory", displayPath)
    }

    deinit { files_listing_close(&listing) }

    private var displayPath: String { FilePath(parts: path, []).text }

    /// Read the next batch. Returns false at the end.
    func next(limit: Int) throws(MAMError) -> Bool {
        try check(files_listing_next(&listing, limit), "list the directory", displayPath)
        return listing.count > 0
    }

    /// Call `body` for each entry of the batch.
    func each(_ body: (Entry) -> Void) {
        for index in 0..<count { if let entry = entry(index) { body(entry) } }
    }

    /// The number of entries in the batch.
    var count: Int { listing.count }

    /// An entry of the batch.
    func entry(_ index: Int) -> Entry? {
        guard let entries = listing.entries, let names = listing.names, index >= 0, index < listing.count else {
            return nil
        }
        let entry = entries[index]
        return Entry(
            name: names + Int(entry.name), inode: entry.inode, type: entry.type, isRemoved: entry.is_removed)
    }

    /// The argument of ``files_remove_marked`` for the batch without its first entries. Valid until the next batch.
    func removal(from first: Int, in directory: Descriptor, takesUnmarked: Bool) -> files_removal_t {
        files_removal_t(
            entries: listing.entries, names: listing.names.map { UnsafePointer($0) }, next: first,
            count: listing.count, directory: directory.number, takes_unmarked: takesUnmarked)
    }
}
