import CFiles
import CProcess
import MAMProtection
import MAMState
import MAMSupport

/// Removes the account's entries from one directory, a batch at a time.
final class DirectoryRemoval {
    let directory: RemovalDirectory
    let descriptor: Descriptor
    /// Whether entries without a label of their own are the account's here.
    let isOurs: Bool
    /// Inodes of the account's entries here, whether or not they could be removed.
    private(set) var seen: [UInt64] = []
    /// Subdirectories of the account.
    private(set) var subdirectories: [RemovalDirectory] = []
    /// The results since the last ``takeResults()``.
    var results = RemovalResults()

    let matcher: AccountFileMatcher
    private let device: UInt64
    /// The names of libmam's own files here.
    private let libraryNames: [[UInt8]]
    private let listing: DirectoryListing
    private var position = 0
    private var hasBegun = false

    /// The owner of an entry.
    enum Verdict { case ours, others, disagrees(String) }

    /// A directory that was to be opened.
    enum Opened {
        case ready(DirectoryRemoval)
        /// There is none, or not the expected one; its files count as not seen.
        case absent
        case unreadable(RemovalResults)
    }

    static func open(_ directory: RemovalDirectory, _ matcher: AccountFileMatcher) throws(MAMError) -> Opened {
        let displayPath = FilePath(parts: directory.path, []).text
        let descriptor: Descriptor
        do throws(MAMError) {
            descriptor = try open(directory.path, isOurs: directory.isOurs, displayPath, matcher)
        } catch {
            guard error.code != .notFound else { return .absent }
            var results = RemovalResults()
            // A link took the place of the directory.
            let reason: FileRemovalReport.Reason = error.code == .unsupported ? .replaced : .error
            results.addRemaining(displayPath, reason, error.message)
            return .unreadable(results)
        }
        var entry = files_entry_t()
        guard files_entry_of(descriptor.number, &entry) == 0 else { return .absent }
        if let expected = directory.expected, !entry.fileID.isSame(expected.fileID) { return .absent }
        guard !matcher.libraryFiles.isInState(descriptor.number) else { return .absent }
        return .ready(try DirectoryRemoval(directory, descriptor, entry, matcher, displayPath))
    }

    /// Open a directory by a path without links. One of the account that this user keeps from itself is made readable before.
    private static func open(
        _ path: [UInt8], isOurs: Bool, _ displayPath: String, _ matcher: AccountFileMatcher
    ) throws(MAMError) -> Descriptor {
        do throws(MAMError) { return try FileLocation.open(path, displayPath) } catch {
            guard error.code == .permission, let (parent, name) = FilePath.split(path) else { throw error }
            let above = try open(parent, isOurs: false, displayPath, matcher)
            var entry = files_entry_t()
            guard files_entry_at(above.number, name, &entry) == 0, entry.isDirectory,
                isOurs ? true : try matcher.findRow(of: entry.fileID) != nil,
                files_make_readable_at(above.number, name) == 0
            else { throw error }
            return try FileLocation.open(path, displayPath)
        }
    }

    private init(
        _ directory: RemovalDirectory, _ descriptor: Descriptor, _ entry: files_entry_t, _ matcher: AccountFileMatcher,
        _ displayPath: String
    ) throws(MAMError) {
        self.directory = directory
        self.descriptor = descriptor
        self.matcher = matcher
        device = entry.device
        libraryNames = matcher.libraryFiles.names(in: entry)
        // Read through the descriptor, because another directory may have the path by now.
        let attribute = try matcher.reader.decode(matcher.reader.read(descriptor.number), displayPath)
        if case .label(.verified(let label)) = attribute {
            isOurs = matcher.isOurs(label)
        } else {
            isOurs = directory.isOurs ? true : try matcher.findRow(of: entry.fileID) != nil
        }
        // A directory that its user may not change is changed nevertheless, as for a label that cannot be read.
        if isOurs { _ = files_make_writable(descriptor.number) }
        listing = try DirectoryListing(descriptor, path: directory.path)
    }

    /// The results since the last call.
    func takeResults() -> RemovalResults {
        defer { results = RemovalResults() }
        return results
    }

    /// Read the next batch of entries. The result is their number, 0 at the end of the directory.
    func readEntries(limit: Int) throws(MAMError) -> Int {
        position = 0
        guard try listing.next(limit: limit) else { return 0 }
        if !hasBegun { try removeAllSidecars(limit: limit) }
        hasBegun = true
        return listing.count
    }

    /// Remove sidecars before any database, since a sidecar's owner is the owner of its database.
    private func removeAllSidecars(limit: Int) throws(MAMError) {
        guard listing.count == limit else { return try removeSidecars(listing) }
        // Their databases may be in a later batch.
        let all = try DirectoryListing(descriptor, path: directory.path)
        while try all.next(limit: limit) { try removeSidecars(all) }
    }

    /// Whether ``files_remove_marked`` can remove any entry.
    private var canRemoveBatch: Bool { libraryNames.isEmpty && (isOurs || !matcher.labelBytes.isEmpty) }

    /// The argument of ``files_remove_marked`` for the batch. Entries are removed one by one until the bytes of the account's
    /// label are known.
    func batch() throws(MAMError) -> files_removal_t {
        while !canRemoveBatch, position < listing.count { try removeNext() }
        return listing.removal(from: position, in: descriptor, takesUnmarked: isOurs && !matcher.hasEntriesOfOthers)
    }

    /// Process the entries that the batch call left, and count those that it removed.
    func finishBatch() throws(MAMError) {
        while position < listing.count { try removeNext() }
    }

    private func removeNext() throws(MAMError) {
        guard let entry = listing.entry(position) else { return }
        position += 1
        guard entry.isRemoved else { return try removeIfOurs(entry) }
        seen.append(entry.inode)
        results.addRemoved(displayPath(entry), inode: entry.inode, links: 1)
    }

    private func removeIfOurs(_ entry: DirectoryListing.Entry) throws(MAMError) {
        guard !isLibraryFile(entry) else { return }
        guard entry.mayBeOwned else {
            // Links, pipes, sockets and devices have no label.
            if isOurs { remove(entry) }
            return
        }
        let result = try readOwner(entry)
        if Int(result) == FILES_ENOENT { return }
        let attribute: OwnerAttribute
        do throws(MAMError) {
            attribute = try matcher.reader.decode(result, displayPath(entry))
        } catch {
            guard isOurs ? true : try isKnown(entry.name) else { return }
            seen.append(entry.inode)
            results.addRemaining(displayPath(entry), result, "read the owner")
            return
        }
        switch try verdict(attribute, entry.name) {
        case .others: return
        case .disagrees(let message):
            seen.append(entry.inode)
            results.addRemaining(displayPath(entry), .disagrees, message)
        case .ours:
            if !entry.isDirectory { remove(entry) }
            if entry.isDirectory || entry.isUnknown { try addSubdirectory(entry) }
        }
    }

    /// Read the label of an entry. The account's entries that this user keeps from itself are made readable: a wipe must not leave them.
    private func readOwner(_ entry: DirectoryListing.Entry) throws(MAMError) -> Int32 {
        let result = matcher.reader.read(descriptor.number, entry.name)
        guard Int(result) == FILES_EACCES, isOurs ? true : try isKnown(entry.name),
            files_make_readable_at(descriptor.number, entry.name) == 0
        else { return result }
        return matcher.reader.read(descriptor.number, entry.name)
    }

    func verdict(
        _ attribute: OwnerAttribute, _ name: UnsafePointer<CChar>
    ) throws(MAMError) -> Verdict {
        switch attribute {
        case .label(.verified(let label)):
            if matcher.isOurs(label) { return .ours }
            guard try isKnown(name) else { return .others }
            return .disagrees("its attribute names another owner than the index")
        case .label(.damaged), .label(.foreign):
            guard isOurs ? true : try isKnown(name) else { return .others }
            return .disagrees("its attribute does not verify")
        case .missing, .unsupported:
            if isOurs { return try isOfOthers(name) ? .others : .ours }
            return try isKnown(name) ? .ours : .others
        }
    }

    /// Whether the index has the file as the account's, in this directory or another.
    private func isKnown(_ name: UnsafePointer<CChar>) throws(MAMError) -> Bool {
        var entry = files_entry_t()
        guard files_entry_at(descriptor.number, name, &entry) == 0 else { return false }
        guard let row = try matcher.findRow(of: entry.fileID) else { return false }
        if row.directory != directory.number { results.staleRows.append(row) }
        return true
    }

    private func isOfOthers(_ name: UnsafePointer<CChar>) throws(MAMError) -> Bool {
        var entry = files_entry_t()
        guard matcher.hasEntriesOfOthers, files_entry_at(descriptor.number, name, &entry) == 0 else { return false }
        let bytes = UnsafeBufferPointer(start: name, count: process_text_length(name, 4096)).map {
            UInt8(bitPattern: $0)
        }
        if try matcher.isOfOthers(entry.fileID, named: bytes, in: directory.number) { return true }
        return try isSidecarOfOthers(bytes)
    }

    private func remove(_ listed: DirectoryListing.Entry) {
        var entry = files_entry_t()
        // For the number of links, and for the type where the listing has none.
        guard files_entry_at(descriptor.number, listed.name, &entry) == 0, !entry.isDirectory else { return }
        seen.append(listed.inode)
        removeFile(listed, entry)
    }

    /// Whether an entry is libmam's own, under this name or another.
    func isLibraryFile(_ listed: DirectoryListing.Entry) -> Bool {
        if !libraryNames.isEmpty, libraryNames.contains(listed.nameBytes) { return true }
        var entry = files_entry_t()
        return files_entry_at(descriptor.number, listed.name, &entry) == 0
            && matcher.libraryFiles.kind(of: entry) != nil
    }

    func removeFile(_ listed: DirectoryListing.Entry, _ entry: files_entry_t) {
        let result = files_remove_at(descriptor.number, listed.name, false)
        if result == 0 {
            results.addRemoved(displayPath(listed), inode: entry.inode, links: entry.links)
        } else if Int(result) != FILES_ENOENT {
            results.addFailed(entry.fileID, listed.nameBytes, in: directory.path, result)
        }
    }

    private func addSubdirectory(_ listed: DirectoryListing.Entry) throws(MAMError) {
        var entry = files_entry_t()
        guard files_entry_at(descriptor.number, listed.name, &entry) == 0, entry.isDirectory else { return }
        seen.append(listed.inode)
        let path = FilePath(parts: directory.path, listed.nameBytes).bytes
        // A mount point is not the account's because of the directory around it, bind mounts of the same device included.
        let isOurs = entry.device == device && !entry.is_mounted
        subdirectories.append(
            RemovalDirectory(path: path, number: try matcher.directoryNumber(path), expected: entry, isOurs: isOurs))
    }

    private func displayPath(_ entry: DirectoryListing.Entry) -> String {
        FilePath(parts: directory.path, entry.nameBytes).text
    }
}
