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
        let spot = try Spot(path)
        return try find(spot, try spot.entry())
    }

    func find(_ spot: Spot, _ entry: platform_entry_t) throws(MAMError) -> FileOwner {
        let reader = AttributeReader(key)
        let attribute = try reader.take(reader.read(spot.directory.number, spot.name), spot.shown)
        var owner = try find(spot, entry, attribute)
        if entry.isFile { try look(into: spot, &owner) }
        return owner
    }

    func find(
        _ spot: Spot, _ entry: platform_entry_t, _ attribute: OwnerAttribute
    ) throws(MAMError) -> FileOwner {
        let rows = try state.read { (view, _) throws(MAMError) in
            try Rows(view.files, spot, entry.number)
        }
        let owner = FileOwners.judge(attribute, rows)
        guard owner.source == .none, owner.disagreement == nil else { return owner }
        return try inherited(spot) ?? owner
    }

    /// What the index says of a file.
    struct Rows {
        /// Of the very file.
        var own: OwnedFile?
        /// Of its path, where another file was known there.
        var former: OwnedFile?
        var isDamaged = false

        private init() {}

        init(_ files: FileStore, _ spot: Spot, _ number: FileNumber) throws(MAMError) {
            let directory = try files.directory(spot.directoryPath)
            let named =
                try directory.map { (number) throws(MAMError) in try files.find(spot.nameBytes, in: number) } ?? nil
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
            isDamaged = own == nil && rows.contains { $0.file == nil }
        }
    }

    /// What attribute and index come to together.
    static func judge(_ attribute: OwnerAttribute, _ rows: Rows) -> FileOwner {
        var owner = FileOwner()
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

    /// The owner of the nearest directory above that has one.
    private func inherited(_ spot: Spot) throws(MAMError) -> FileOwner? {
        var path = spot.directoryPath
        var directory = spot.directory
        for _ in 0..<256 {
            guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash + 1 < path.count else { return nil }
            let above = slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash])
            let name = FilePath(parts: [], Array(path[(slash + 1)...])).characters
            var entry = platform_entry_t()
            guard platform_entry_of(directory.number, &entry) == 0 else { return nil }
            let attribute = try OwnerAttribute.of(directory.number, key, path: spot.shown)
            var parent: Int32 = -1
            guard platform_open_directory_at(directory.number, "..", &parent) == 0 else { return nil }
            directory = Descriptor(parent)
            let here = Spot(directory: directory, directoryPath: above, name: name)
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
    private func look(into spot: Spot, _ owner: inout FileOwner) throws(MAMError) {
        // What may not be read is not known to be sealed.
        guard let (file, entry) = try? spot.open(), entry.isFile, let content = FileContent(file.number) else { return }
        owner.isEncrypted = content.isEncrypted
        guard owner.source == .none, owner.disagreement == nil, let account = content.account else { return }
        (owner.account, owner.source) = (account, .content)
    }
}
