import CFiles
import MAMProtection
import MAMState
import MAMSupport

extension OwnershipStore {
    /// Converts a file to the kind that its new owner requires. Called with plain files, sealed files and containers, but not with
    /// databases and their sidecars.
    public typealias Converting = (FileLocation, FileKind) throws(MAMError) -> Void

    /// Fails where the present owner may not give the file away.
    public typealias Authorizing = (FileLocation, FileOwnership) throws(MAMError) -> Void

    /// Returns why a file keeps its owner when the directory around it, of which the second argument is the former owner, gets
    /// another one; nil where it goes along.
    public typealias Keeping = (FileOwnership, FileOwnership) throws(MAMError) -> RemainingFiles.Reason?

    /// Set the owner of a file, and convert it as the owner requires. For a directory, everything in it is first authorized and
    /// then changed. Returns what keeps its owner.
    @discardableResult
    public func set(
        _ path: FilePath, to owner: Owner, authorizing: Authorizing? = nil, keeping: Keeping = { (_, _) in nil },
        converting: Converting = { (_, _) in }, isInterrupted: () -> Bool
    ) throws(MAMError) -> RemainingFiles {
        let location = try FileLocation(path)
        let former = try find(location, try location.entry())
        if let authorizing { try authorize(location, authorizing, keeping, isInterrupted) }
        let label = try owner.label.encoded(with: key)
        let marked = try set(location, label, owner, converting)
        try index([marked], owner)
        var left = RemainingFiles()
        guard marked.entry.isDirectory else { return left }
        try setAll(
            in: marked, label, owner, converting, isInterrupted, leaving: { left.add($0, .libmam) }
        ) { (location) throws(MAMError) in
            var reason = try keeping(try find(location, try location.entry()), former)
            // A sidecar stays with its database: without it that loses what was committed.
            for database in location.databases() where reason == nil {
                reason = try keeping(try find(database, try database.entry()), former)
            }
            if let reason { left.add(location, reason) }
            return reason != nil
        }
        return left
    }

    /// Set the owner unless all sources agree on it already. The file is converted in either case; in a directory, the owner's plain
    /// files are encrypted if they must be, and the others are passed to `checking`.
    @discardableResult
    public func verifyAndSet(
        _ path: FilePath, to owner: Owner, authorizing: Authorizing? = nil, keeping: Keeping = { (_, _) in nil },
        converting: Converting = { (_, _) in }, checking: Converting = { (_, _) in }, isInterrupted: () -> Bool
    ) throws(MAMError) -> RemainingFiles {
        let location = try FileLocation(path)
        let entry = try location.entry()
        let known = try find(location, entry)
        let isWhole = known.isWholly(owner)
        // The content may be sealed for another account than the file's owner.
        if isWhole, known.dataKey != nil, let authorizing { try authorizing(location, known) }
        // A converted file is a new file, without the label.
        let isReplaced = isWhole && entry.isFile ? try convertIfNeeded(location, converting) : false
        guard !isWhole || isReplaced else {
            guard entry.isDirectory else { return RemainingFiles() }
            let top = LabelledFile(location: location, entry: entry, isLabelled: true)
            let label = try owner.label.encoded(with: key)
            try encryptAll(in: top, label, owner, converting, checking: checking, isInterrupted)
            return RemainingFiles()
        }
        return try set(
            path, to: owner, authorizing: isWhole ? nil : authorizing, keeping: keeping, converting: converting,
            isInterrupted: isInterrupted)
    }

    /// Convert before labelling: the content is then protected, whatever the label says.
    func set(
        _ location: FileLocation, _ label: [UInt8], _ owner: Owner, _ converting: Converting
    ) throws(MAMError) -> LabelledFile {
        if try location.entry().isFile { _ = try convertIfNeeded(location, converting) }
        let (file, entry) = try location.look()
        let isLabelled = try mark(file.number, label, owner, path: location.displayPath)
        return LabelledFile(location: location, entry: entry, isLabelled: isLabelled)
    }

    /// Convert a file that is neither a database nor its sidecar. Returns whether another file has replaced it.
    func convertIfNeeded(_ location: FileLocation, _ converting: Converting) throws(MAMError) -> Bool {
        let (file, entry) = try location.look()
        guard entry.isFile else { return false }
        let kind = (try? FileKind.read(file, path: location.displayPath).kind) ?? .plain
        switch kind {
        case .database, .databaseLog: return false
        case .plain where location.isDatabaseSidecar(): return false
        case .plain, .sealed, .container: try converting(location, kind)
        }
        return try !location.entry().fileID.isSame(entry.fileID)
    }

    /// Set the owner of a file that was just created or truncated; `descriptor` is open on it.
    public func set(created descriptor: Int32, _ path: FilePath, to owner: Owner) throws(MAMError) {
        var entry = files_entry_t()
        try check(files_entry_of(descriptor, &entry), "look at it", path.text)
        let label = try owner.label.encoded(with: key)
        let isLabelled = try mark(descriptor, label, owner, path: path.text)
        let location = try FileLocation(path)
        // If another file has the path by now, only the attribute can store the owner.
        let there = try location.entry()
        guard there.fileID.isSame(entry.fileID) else {
            if isLabelled { return }
            throw .file(Int32(FILES_ENOENT), "write the owner", path.text)
        }
        try index([LabelledFile(location: location, entry: entry, isLabelled: isLabelled)], owner)
    }

    /// Remove the label of a file from attribute and index, so that it inherits its directory's owner. `descriptor` is open on it.
    public func clear(_ descriptor: Int32, _ path: FilePath) throws(MAMError) {
        var entry = files_entry_t()
        try check(files_entry_of(descriptor, &entry), "look at it", path.text)
        try OwnerAttribute.remove(descriptor, path: path.text)
        let location = try FileLocation(path)
        try state.write { (view) throws(MAMError) in
            for found in try view.files.find(inode: entry.inode) where found.file?.fileID.isSame(entry.fileID) == true {
                try view.files.remove(found)
            }
            // Remove a row of another file with this name as well.
            guard let directory = try view.files.directory(location.directoryPath),
                let replaced = try view.files.find(location.nameBytes, in: directory)
            else { return }
            try view.files.remove(replaced)
        }
    }

    /// Write the attribute of a file without a name yet, so that its owner is known if the process is killed.
    public func label(created descriptor: Int32, _ path: FilePath, _ owner: Owner) throws(MAMError) {
        let label = try owner.label.encoded(with: key)
        _ = try mark(descriptor, label, owner, path: path.text)
    }

    /// Write the attribute and the nodump flag. Returns false where the file system has no attributes.
    private func mark(_ file: Int32, _ label: [UInt8], _ owner: Owner, path: String) throws(MAMError) -> Bool {
        let isLabelled = try OwnerAttribute.set(label, file, path: path)
        let flagged = files_set_nodump(file, owner.isNotBackedUp)
        // Only the file's owner may set the flag, and not on every file system. The host is bound by the backup predicate.
        guard flagged == 0 || [FILES_EOPNOTSUPP, FILES_EPERM, FILES_EACCES].contains(Int(flagged)) else {
            throw .file(flagged, "set its nodump attribute", path)
        }
        return isLabelled
    }

    /// A file whose label was written, where its file system has attributes.
    struct LabelledFile {
        let location: FileLocation
        let entry: files_entry_t
        let isLabelled: Bool
    }

    /// Add files to the index. Rows that an attribute repeats are not synced.
    func index(_ files: [LabelledFile], _ owner: Owner) throws(MAMError) {
        let labelled = files.filter(\.isLabelled)
        let others = files.filter { !$0.isLabelled }
        if !labelled.isEmpty { try state.writeUnsynced { (view) throws(MAMError) in try put(labelled, owner, view) } }
        if !others.isEmpty { try state.write { (view) throws(MAMError) in try put(others, owner, view) } }
    }

    private func put(_ files: [LabelledFile], _ owner: Owner, _ view: StateView) throws(MAMError) {
        var known: (path: [UInt8], number: Int64)?
        for marked in files {
            let (location, entry) = (marked.location, marked.entry)
            if known?.path != location.directoryPath {
                known = (location.directoryPath, try view.files.makeDirectory(location.directoryPath))
            }
            guard let directory = known?.number else { continue }
            try forgetFormer(view.files, location, entry, directory)
            try view.files.put(
                FileIndexEntry(
                    account: owner.account, owner: owner.name, app: owner.app, fileID: entry.fileID,
                    name: location.nameBytes), in: directory)
        }
    }

    /// Remove rows of the same file under a former name.
    private func forgetFormer(
        _ files: FileIndex, _ location: FileLocation, _ entry: files_entry_t, _ directory: Int64
    ) throws(MAMError) {
        for found in try files.find(inode: entry.inode) {
            guard let file = found.file, file.fileID.isSame(entry.fileID) else { continue }
            // A file may have another link; a directory, or a file with one link, has no other path.
            let isElsewhere = found.directory != directory || file.name != location.nameBytes
            if isElsewhere, entry.isDirectory || entry.links == 1 { try files.remove(found) }
        }
    }
}
