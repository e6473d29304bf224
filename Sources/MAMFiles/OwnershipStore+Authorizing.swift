import CFiles
import MAMState
import MAMSupport

/// Checks whether files may change their owner, before any of them does.
extension OwnershipStore {
    /// Check the file at a location, or a directory with everything in it that does not keep its owner.
    func authorize(
        _ location: FileLocation, _ authorizing: Authorizing, _ keeping: Keeping, _ isInterrupted: () -> Bool
    ) throws(MAMError) {
        let known = try find(location, try location.entry())
        try authorizing(location, known)
        guard known.isDirectory else { return }
        let libraryFiles = self.libraryFiles.find()
        var waiting = [location.path]
        while let path = waiting.popLast() {
            do throws(MAMError) {
                let directory = try FileLocation.open(path, FilePath(parts: path, []).text)
                var above = files_entry_t()
                try check(files_entry_of(directory.number, &above), "look at it", location.displayPath)
                let listing = try DirectoryListing(directory, path: path)
                while try listing.next(limit: 1024) {
                    guard !isInterrupted() else { throw .interrupted }
                    var places: [FileLocation] = []
                    listing.each { entry in
                        guard entry.mayBeOwned,
                            libraryFiles.kind(of: entry.characters, in: directory.number, above) == nil
                        else { return }
                        places.append(
                            FileLocation(directory: directory, directoryPath: path, name: entry.characters))
                    }
                    for location in places {
                        if try authorize(entryAt: location, in: known, authorizing, keeping) {
                            waiting.append(location.path)
                        }
                    }
                }
            } catch {
                guard path.count > location.path.count, Self.isOfEntryAlone(error) else { throw error }
            }
        }
    }

    /// Whether nothing is changed where an error came from, so that it keeps nothing else from being changed: the entry was removed, or
    /// is a link, or cannot be looked at. The change itself then reports the last of these.
    private static func isOfEntryAlone(_ error: MAMError) -> Bool {
        [.notFound, .unsupported, .permission, .io].contains(error.code)
    }

    /// Check an entry. Returns whether it is a directory whose content is to be checked too.
    private func authorize(
        entryAt location: FileLocation, in directory: FileOwnership, _ authorizing: Authorizing, _ keeping: Keeping
    ) throws(MAMError) -> Bool {
        let entry: files_entry_t
        let known: FileOwnership
        do throws(MAMError) {
            entry = try location.entry()
            known = try find(location, entry)
        } catch {
            guard Self.isOfEntryAlone(error) else { throw error }
            return false
        }
        guard try keeping(known, directory) == nil else { return false }
        try authorizing(location, known)
        return entry.isDirectory
    }

    /// Check the file at a location.
    public func authorize(_ location: FileLocation, _ authorizing: Authorizing) throws(MAMError) {
        try authorizing(location, try find(location, try location.entry()))
    }

    /// The owner of the file at a location; nil where there is no file.
    public func findIfThere(_ location: FileLocation) throws(MAMError) -> FileOwnership? {
        try ifThere { () throws(MAMError) in try find(location, try location.entry()) }
    }

    /// The same by label, index and directory alone, without opening the file.
    public func findWithoutOpening(_ location: FileLocation) throws(MAMError) -> FileOwnership? {
        try ifThere { () throws(MAMError) in try findWithoutOpening(location, try location.entry()) }
    }

    private func ifThere(_ find: () throws(MAMError) -> FileOwnership) throws(MAMError) -> FileOwnership? {
        do throws(MAMError) { return try find() } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Whether a file is there whose own label names no managed account.
    public func isPersonal(_ location: FileLocation) throws(MAMError) -> Bool {
        guard let known = try findWithoutOpening(location) else { return false }
        return known.hasOwnOwner && !known.isManaged
    }

    /// The owner that new files at a location inherit; nil where the directory has none.
    public func directoryOwner(of location: FileLocation) throws(MAMError) -> FileOwnership? { try inherited(location) }
}
