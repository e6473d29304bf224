import CPlatform
import MAMSupport

/// The entries of a directory, some at a time, in the order in which they lie on the disk.
final class Listing {
    /// One entry.
    struct Item {
        /// Valid until others are taken.
        let name: UnsafePointer<CChar>
        let inode: UInt64
        let type: UInt8
        /// Whether a pass over all of them has removed it.
        let isRemoved: Bool

        /// The name, with its NUL.
        var characters: [CChar] {
            Array(UnsafeBufferPointer(start: name, count: platform_text_length(name, 4096) + 1))
        }
        /// Links, pipes, sockets and devices carry no attribute.
        var mayBeOwned: Bool { isDirectory || isFile || isUnknown }
        var isDirectory: Bool { type == UInt8(PLATFORM_TYPE_DIRECTORY) }
        var isFile: Bool { type == UInt8(PLATFORM_TYPE_FILE) }
        var isUnknown: Bool { type == UInt8(PLATFORM_TYPE_UNKNOWN) }
    }

    private var listing = platform_listing_t()
    private let path: [UInt8]

    init(_ directory: Descriptor, path: [UInt8]) throws(MAMError) {
        self.path = path
        try check(platform_listing_open(directory.number, &listing), "list the directory", shown)
    }

    deinit { platform_listing_close(&listing) }

    private var shown: String { FilePath(parts: path, []).text }

    /// Take the next ones; false when it is through.
    func next(limit: Int) throws(MAMError) -> Bool {
        try check(platform_listing_next(&listing, limit), "list the directory", shown)
        return listing.count > 0
    }

    /// Those that were taken.
    func each(_ body: (Item) -> Void) {
        for index in 0..<count { if let item = item(index) { body(item) } }
    }

    /// How many were taken.
    var count: Int { listing.count }

    /// One of them.
    func item(_ index: Int) -> Item? {
        guard let entries = listing.entries, let names = listing.names, index >= 0, index < listing.count else {
            return nil
        }
        let entry = entries[index]
        return Item(
            name: names + Int(entry.name), inode: entry.inode, type: entry.type, isRemoved: entry.is_removed)
    }

    /// What of them may go at once, the first ones left alone. Valid until others are taken.
    func removal(from first: Int, in directory: Descriptor, takesUnmarked: Bool) -> platform_removal_t {
        platform_removal_t(
            entries: listing.entries, names: listing.names.map { UnsafePointer($0) }, next: first,
            count: listing.count, directory: directory.number, takes_unmarked: takesUnmarked)
    }
}
