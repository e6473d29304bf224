import CFiles
import MAMProtection
import MAMState
import MAMSupport

/// Owners of files. An extended attribute of the file and the index of the state each store the owner; either suffices.
public struct OwnershipStore {
    let state: State
    let libraryFiles: LibraryFiles
    var key: LabelKey { state.labelKey }

    /// The owners in a state, and the files that have none.
    public init(_ state: State, _ libraryFiles: LibraryFiles) {
        (self.state, self.libraryFiles) = (state, libraryFiles)
    }

    /// The owner of a file. Fails with `.notFound` where there is no file; an unowned file has the source `.none`.
    public func find(_ path: FilePath) throws(MAMError) -> FileOwnership {
        let location = try FileLocation(path)
        return try find(location, try location.entry())
    }

    func find(_ location: FileLocation, _ entry: files_entry_t) throws(MAMError) -> FileOwnership {
        var owner = try findWithoutOpening(location, entry)
        if entry.isFile { try look(into: location, &owner) }
        return owner
    }

    /// The owner by label, index and directory. It does not open the file, so that it drops no POSIX lock of the host, and the file's
    /// content does not count.
    func findWithoutOpening(_ location: FileLocation, _ entry: files_entry_t) throws(MAMError) -> FileOwnership {
        let reader = AttributeReader(key)
        let attribute = try reader.decode(reader.read(location.directory.number, location.name), location.displayPath)
        var owner = try find(location, entry, attribute)
        owner.isDirectory = entry.isDirectory
        return owner
    }

    func find(
        _ location: FileLocation, _ entry: files_entry_t, _ attribute: OwnerAttribute
    ) throws(MAMError) -> FileOwnership {
        let rows = try state.read { (view, _) throws(MAMError) in
            try Rows(view.files, location, entry.fileID)
        }
        let owner = OwnershipStore.combine(attribute, rows)
        guard owner.source == .none, owner.disagreement == nil || owner.disagreement == .attributeDamaged else {
            return owner
        }
        var above = try inherited(location)
        if above == nil { above = try ofDatabase(location) }
        // A damaged label releases no more than a missing one.
        if let disagreement = owner.disagreement { above?.disagreement = disagreement }
        return above ?? owner
    }

    /// The rows of the index for a file.
    struct Rows {
        /// The row of the file itself.
        var ofFile: FileIndexEntry?
        /// The row of its path, if that is of another file.
        var replaced: FileIndexEntry?
        var isDamaged = false
        /// Whether the index has the file under another path only.
        var isElsewhere = false

        private init() {}

        init(_ files: FileIndex, _ location: FileLocation, _ number: FileID) throws(MAMError) {
            let directory = try files.directory(location.directoryPath)
            let named =
                try directory.map { (number) throws(MAMError) in try files.find(location.nameBytes, in: number) } ?? nil
            if let named, let file = named.file, file.fileID.isSame(number) {
                self.init()
                ofFile = file
                return
            }
            try self.init(files, number)
            guard ofFile == nil else { return }
            replaced = named?.file
            isDamaged = isDamaged || named != nil && replaced == nil
        }

        /// Rows of any path.
        init(_ files: FileIndex, _ number: FileID) throws(MAMError) {
            self.init()
            let rows = try files.find(inode: number.inode)
            ofFile = rows.lazy.compactMap(\.file).first { $0.fileID.isSame(number) }
            isElsewhere = ofFile != nil
            isDamaged = ofFile == nil && rows.contains { $0.file == nil }
        }
    }

    /// Combine the attribute with the rows of the index.
    static func combine(_ attribute: OwnerAttribute, _ rows: Rows) -> FileOwnership {
        var owner = FileOwnership()
        owner.isElsewhere = rows.isElsewhere
        owner.row = rows.ofFile?.account
        if let row = rows.ofFile {
            (owner.account, owner.app, owner.source, owner.isAuthenticated) = (row.owner, row.app, .index, true)
        } else if rows.isDamaged {
            owner.disagreement = .indexDamaged
        }
        switch attribute {
        case .label(.verified(let label)):
            if let row = rows.ofFile, row.owner != label.account || row.app != label.app {
                owner.disagreement = .owner
                owner.indexed = row.owner
            }
            owner.source = rows.ofFile == nil ? .attribute : .both
            (owner.account, owner.app, owner.isAuthenticated) = (label.account, label.app, true)
            owner.isManaged = label.isManaged
        case .label(.foreign(let label)):
            owner.disagreement = .attributeForeign
            guard rows.ofFile == nil else { break }
            (owner.account, owner.app, owner.source) = (label.account, label.app, .attribute)
            owner.isManaged = label.isManaged
        case .label(.damaged): owner.disagreement = .attributeDamaged
        case .missing where rows.ofFile != nil: owner.disagreement = .attributeMissing
        case .missing, .unsupported:
            if rows.ofFile == nil, let replaced = rows.replaced {
                (owner.account, owner.app, owner.source) = (replaced.owner, replaced.app, .index)
                (owner.disagreement, owner.isAuthenticated) = (.replaced, true)
            }
        }
        return owner
    }

    /// The owner of the nearest directory above that has one; nil where none has.
    func inherited(_ location: FileLocation) throws(MAMError) -> FileOwnership? {
        let reader = AttributeReader(key)
        var path = location.directoryPath
        var directory = location.directory
        for _ in 0..<256 {
            guard let (above, name) = FilePath.split(path) else { return nil }
            var entry = files_entry_t()
            guard files_entry_of(directory.number, &entry) == 0 else { return nil }
            let attribute = try reader.decode(reader.read(directory.number, "."), location.displayPath)
            var parent: Int32 = -1
            guard files_open_directory_at(directory.number, "..", &parent) == 0 else { return nil }
            directory = Descriptor(parent)
            let here = FileLocation(directory: directory, directoryPath: above, name: name)
            let rows = try state.read { (view, _) throws(MAMError) in try Rows(view.files, here, entry.fileID) }
            let owner = OwnershipStore.combine(attribute, rows)
            if owner.source != .none { return owner.asInherited }
            path = above
        }
        return nil
    }

    /// The managed owner of the database whose sidecar a file is by its name: a log or journal has the database's data.
    private func ofDatabase(_ location: FileLocation) throws(MAMError) -> FileOwnership? {
        for database in location.possibleDatabases() {
            guard let entry = try? database.entry(), entry.isFile else { continue }
            let owner = try findWithoutOpening(database, entry)
            if owner.isManaged || owner.row != nil, let inherited = owner.asInherited { return inherited }
        }
        return nil
    }

    /// Add the kind of the content, and its owner where no other source names one.
    private func look(into location: FileLocation, _ owner: inout FileOwnership) throws(MAMError) {
        // A file that cannot be read counts as not sealed.
        guard let (file, entry) = try? location.look(), entry.isFile,
            let kind = try? FileKind.read(file, path: location.displayPath).kind
        else { return }
        (owner.isEncrypted, owner.dataKey) = (kind.isEncrypted, kind.dataKey)
        if case .sealed(let header) = kind { owner.sealedHeader = header }
        let isOfForeignDirectory = owner.source == .directory && !owner.isAuthenticated
        guard
            owner.source == .none && owner.disagreement == nil || isOfForeignDirectory && kind.isEncrypted,
            let account = kind.account
        else { return }
        (owner.account, owner.source, owner.disagreement, owner.isManaged) = (account, .content, nil, false)
    }
}
