import CPlatform
import MAMProtection
import MAMState
import MAMSupport

extension FileOwners {
    /// Gives a file the form that its owner's data has; the argument is the form that it has: plain, sealed or a container. It
    /// is not called for databases and what SQLite keeps beside them.
    public typealias Forming = (FilePlace, FileForm) throws(MAMError) -> Void

    /// Fails where a file may not be given away by its present owner.
    public typealias Judging = (FilePlace, FileOwner) throws(MAMError) -> Void

    /// Give a file an owner, and the form that the owner's data has; a directory with everything in it, once every file in it
    /// was judged. `isOver` is asked now and then.
    public func set(
        _ path: FilePath, to owner: Owner, judging: Judging? = nil, forming: Forming = { (_, _) in },
        isOver: () -> Bool
    ) throws(MAMError) {
        let place = try FilePlace(path)
        if let judging { try judge(place, judging, isOver) }
        let label = try FileLabel(account: owner.name, app: owner.app).bytes(key)
        let marked = try set(place, label, owner, forming)
        try index([marked], owner)
        if marked.entry.isDirectory { try setAll(in: marked, label, owner, forming, isOver) }
    }

    /// The same unless all that is known says that it has this owner; its form is seen to all the same.
    public func verifyAndSet(
        _ path: FilePath, to owner: Owner, judging: Judging? = nil, forming: Forming = { (_, _) in },
        isOver: () -> Bool
    ) throws(MAMError) {
        let place = try FilePlace(path)
        let entry = try place.entry()
        let known = try find(place, entry)
        let isWhole = known.isWholly(owner)
        // The content may be sealed for another account than the one that owns the file.
        if isWhole, known.dataKey != nil, let judging { try judging(place, known) }
        // In another form it is another file.
        let isReplaced = isWhole && entry.isFile ? try form(place, forming) : false
        guard !isWhole || isReplaced else { return }
        try set(path, to: owner, judging: isWhole ? nil : judging, forming: forming, isOver: isOver)
    }

    /// The form, then the attribute: what has the form already is readable by nobody else, whatever its attribute says.
    func set(
        _ place: FilePlace, _ label: [UInt8], _ owner: Owner, _ forming: Forming
    ) throws(MAMError) -> Marked {
        if try place.entry().isFile { _ = try form(place, forming) }
        let (file, entry) = try place.look()
        let isLabelled = try mark(file.number, label, owner, path: place.shown)
        return Marked(place: place, entry: entry, isLabelled: isLabelled)
    }

    /// Whether another file lies there now, in another form.
    private func form(_ place: FilePlace, _ forming: Forming) throws(MAMError) -> Bool {
        let (file, entry) = try place.look()
        guard entry.isFile else { return false }
        let form = (try? FileForm.read(file, path: place.shown).form) ?? .plain
        switch form {
        case .database, .databaseLog: return false
        case .plain where place.isCompanion(): return false
        case .plain, .sealed, .container: try forming(place, form)
        }
        return try !place.entry().number.isSame(entry.number)
    }

    /// Give a file that was just made, or emptied, an owner: `descriptor` is open on it. For whoever makes files.
    public func set(created descriptor: Int32, _ path: FilePath, to owner: Owner) throws(MAMError) {
        var entry = platform_entry_t()
        try check(platform_entry_of(descriptor, &entry), "look at it", path.text)
        let label = try FileLabel(account: owner.name, app: owner.app).bytes(key)
        let isLabelled = try mark(descriptor, label, owner, path: path.text)
        let place = try FilePlace(path)
        // What lies at the path now may be another file: the attribute says it then, and where there is none, nothing would.
        let there = try place.entry()
        guard there.number.isSame(entry.number) else {
            if isLabelled { return }
            throw .file(Int32(PLATFORM_ENOENT), "write down whose it is", path.text)
        }
        try index([Marked(place: place, entry: entry, isLabelled: isLabelled)], owner)
    }

    /// Take the label of a file away, from it and from the index: it is its directory's then. `descriptor` is open on it.
    public func clear(_ descriptor: Int32, _ path: FilePath) throws(MAMError) {
        var entry = platform_entry_t()
        try check(platform_entry_of(descriptor, &entry), "look at it", path.text)
        try OwnerAttribute.remove(descriptor, path: path.text)
        let place = try FilePlace(path)
        try state.write { (view) throws(MAMError) in
            for found in try view.files.find(inode: entry.inode) where found.file?.number.isSame(entry.number) == true {
                try view.files.remove(found)
            }
            // A former row under this name goes as well.
            guard let directory = try view.files.directory(place.directoryPath),
                let former = try view.files.find(place.nameBytes, in: directory)
            else { return }
            try view.files.remove(former)
        }
    }

    /// The first half of it for a file that has no name yet: should its maker be killed, the attribute says whose it is.
    public func label(created descriptor: Int32, _ path: FilePath, _ owner: Owner) throws(MAMError) {
        let label = try FileLabel(account: owner.name, app: owner.app).bytes(key)
        _ = try mark(descriptor, label, owner, path: path.text)
    }

    /// Write the attribute and the flag that backups go by; false where the file system knows no attributes.
    private func mark(_ file: Int32, _ label: [UInt8], _ owner: Owner, path: String) throws(MAMError) -> Bool {
        let isLabelled = try OwnerAttribute.set(label, file, path: path)
        let flagged = platform_set_nodump(file, owner.isNotBackedUp)
        // Only the file's owner may, and not every file system can: the predicate is what binds the host.
        guard flagged == 0 || [PLATFORM_EOPNOTSUPP, PLATFORM_EPERM, PLATFORM_EACCES].contains(Int(flagged)) else {
            throw .file(flagged, "set its nodump attribute", path)
        }
        return isLabelled
    }

    /// A file whose attribute is written, where its file system has attributes.
    struct Marked {
        let place: FilePlace
        let entry: platform_entry_t
        let isLabelled: Bool
    }

    /// Write rows. Those that an attribute repeats need not outlive a power failure.
    func index(_ files: [Marked], _ owner: Owner) throws(MAMError) {
        let labelled = files.filter(\.isLabelled)
        let others = files.filter { !$0.isLabelled }
        if !labelled.isEmpty { try state.writeSoon { (view) throws(MAMError) in try put(labelled, owner, view) } }
        if !others.isEmpty { try state.write { (view) throws(MAMError) in try put(others, owner, view) } }
    }

    private func put(_ files: [Marked], _ owner: Owner, _ view: StateView) throws(MAMError) {
        var known: (path: [UInt8], number: Int64)?
        for marked in files {
            let (place, entry) = (marked.place, marked.entry)
            if known?.path != place.directoryPath {
                known = (place.directoryPath, try view.files.makeDirectory(place.directoryPath))
            }
            guard let directory = known?.number else { continue }
            try forgetFormer(view.files, place, entry, directory)
            try view.files.put(
                OwnedFile(
                    account: owner.account, owner: owner.name, app: owner.app, number: entry.number,
                    name: place.nameBytes), in: directory)
        }
    }

    /// A file that was renamed, and is not a second name, leaves no row behind; nor does one whose number it got.
    private func forgetFormer(
        _ files: FileStore, _ place: FilePlace, _ entry: platform_entry_t, _ directory: Int64
    ) throws(MAMError) {
        for found in try files.find(inode: entry.inode) {
            guard let file = found.file, file.number.isSame(entry.number) else { continue }
            // A second name may be anywhere; a directory and a file with one name cannot.
            let isElsewhere = found.directory != directory || file.name != place.nameBytes
            if isElsewhere, entry.isDirectory || entry.links == 1 { try files.remove(found) }
        }
    }
}
