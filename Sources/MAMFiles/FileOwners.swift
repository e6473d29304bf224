import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// Whose files are: by the attribute of a file and by the index in the state, either of which is enough.
public struct FileOwners {
    let state: State
    var key: LabelKey { state.labelKey }

    /// In a state.
    public init(_ state: State) { self.state = state }

    /// What is known of a file; `.notFound` where there is none.
    public func find(_ path: FilePath) throws(MAMError) -> FileOwner {
        let place = try FilePlace(path)
        return try find(place, try place.entry())
    }

    func find(_ place: FilePlace, _ entry: platform_entry_t) throws(MAMError) -> FileOwner {
        let reader = AttributeReader(key)
        let attribute = try reader.take(reader.read(place.directory.number, place.name), place.shown)
        var owner = try find(place, entry, attribute)
        owner.isDirectory = entry.isDirectory
        if entry.isFile { try look(into: place, &owner) }
        return owner
    }

    func find(
        _ place: FilePlace, _ entry: platform_entry_t, _ attribute: OwnerAttribute
    ) throws(MAMError) -> FileOwner {
        let rows = try state.read { (view, _) throws(MAMError) in
            try Rows(view.files, place, entry.number)
        }
        let owner = FileOwners.judge(attribute, rows)
        guard owner.source == .none, owner.disagreement == nil else { return owner }
        return try inherited(place) ?? owner
    }

    /// What the index says of a file.
    struct Rows {
        /// Of the very file.
        var own: OwnedFile?
        /// Of its path, where another file was known there.
        var former: OwnedFile?
        var isDamaged = false
        /// The very file is known under another path only.
        var isElsewhere = false

        private init() {}

        init(_ files: FileStore, _ place: FilePlace, _ number: FileNumber) throws(MAMError) {
            let directory = try files.directory(place.directoryPath)
            let named =
                try directory.map { (number) throws(MAMError) in try files.find(place.nameBytes, in: number) } ?? nil
            if let named, let file = named.file, file.number.isSame(number) {
                self.init()
                own = file
                return
            }
            try self.init(files, number)
            guard own == nil else { return }
            former = named?.file
            isDamaged = isDamaged || named != nil && former == nil
        }

        /// Wherever it lies.
        init(_ files: FileStore, _ number: FileNumber) throws(MAMError) {
            self.init()
            let rows = try files.find(inode: number.inode)
            own = rows.lazy.compactMap(\.file).first { $0.number.isSame(number) }
            isElsewhere = own != nil
            isDamaged = own == nil && rows.contains { $0.file == nil }
        }
    }

    /// What attribute and index come to together.
    static func judge(_ attribute: OwnerAttribute, _ rows: Rows) -> FileOwner {
        var owner = FileOwner()
        owner.isElsewhere = rows.isElsewhere
        if let row = rows.own {
            (owner.account, owner.app, owner.source, owner.isAuthenticated) = (row.owner, row.app, .index, true)
        } else if rows.isDamaged {
            owner.disagreement = .indexDamaged
        }
        switch attribute {
        case .label(.verified(let label)):
            if let row = rows.own, row.owner != label.account || row.app != label.app {
                owner.disagreement = .owner
                owner.indexed = row.owner
            }
            owner.source = rows.own == nil ? .attribute : .both
            (owner.account, owner.app, owner.isAuthenticated) = (label.account, label.app, true)
        case .label(.foreign(let label)):
            owner.disagreement = .attributeForeign
            if rows.own == nil { (owner.account, owner.app, owner.source) = (label.account, label.app, .attribute) }
        case .label(.damaged): owner.disagreement = .attributeDamaged
        case .missing where rows.own != nil: owner.disagreement = .attributeMissing
        case .missing, .unsupported:
            if rows.own == nil, let former = rows.former {
                (owner.account, owner.app, owner.source) = (former.owner, former.app, .index)
                (owner.disagreement, owner.isAuthenticated) = (.replaced, true)
            }
        }
        return owner
    }

    /// The owner of the nearest directory above a place that has one; nil where none has.
    func inherited(_ place: FilePlace) throws(MAMError) -> FileOwner? {
        let reader = AttributeReader(key)
        var path = place.directoryPath
        var directory = place.directory
        for _ in 0..<256 {
            guard let (above, name) = FilePath.split(path) else { return nil }
            var entry = platform_entry_t()
            guard platform_entry_of(directory.number, &entry) == 0 else { return nil }
            let attribute = try reader.take(reader.read(directory.number, "."), place.shown)
            var parent: Int32 = -1
            guard platform_open_directory_at(directory.number, "..", &parent) == 0 else { return nil }
            directory = Descriptor(parent)
            let here = FilePlace(directory: directory, directoryPath: above, name: name)
            let rows = try state.read { (view, _) throws(MAMError) in try Rows(view.files, here, entry.number) }
            var owner = FileOwners.judge(attribute, rows)
            if owner.source != .none {
                // One that does not verify, or took a known one's place, gives nothing on.
                guard owner.isAuthenticated, owner.disagreement != .replaced else { return nil }
                (owner.source, owner.disagreement, owner.indexed) = (.directory, nil, nil)
                return owner
            }
            path = above
        }
        return nil
    }

    /// Whether the content is sealed; whose it is where nothing else says so.
    private func look(into place: FilePlace, _ owner: inout FileOwner) throws(MAMError) {
        // What may not be read is not known to be sealed.
        guard let (file, entry) = try? place.look(), entry.isFile,
            let form = try? FileForm.read(file, path: place.shown).form
        else { return }
        (owner.isEncrypted, owner.dataKey) = (form.isEncrypted, form.dataKey)
        guard owner.source == .none, owner.disagreement == nil, let account = form.account else { return }
        (owner.account, owner.source) = (account, .content)
    }
}
