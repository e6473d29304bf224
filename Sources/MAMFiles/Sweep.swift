import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// One directory of a wipe: each entry is looked at, and removed where it is the account's.
final class Sweep {
    let removal: OwnedRemoval
    let directory: Descriptor
    private let path: [UInt8]
    private let device: UInt64
    /// Whether what says nothing itself is the account's here.
    let isOurs: Bool
    /// Numbers of files that are the account's here, whatever became of them.
    private(set) var seen: [UInt64] = []
    /// The directory.
    let next: Directory
    private let listing: Listing
    private var position = 0
    private var isBegun = false
    /// Directories of the account's in it.
    private(set) var below: [Directory] = []

    enum Verdict { case ours, others, disagrees(String) }

    /// nil where it is not there, or not what it was: what the index knows in it stays unseen, and is told at the end.
    /// One that is not alone throws where it cannot be opened: the others may hold the last descriptors.
    init?(_ removal: OwnedRemoval, _ next: Directory, isAlone: Bool) throws(MAMError) {
        guard !FileOwners(removal.state).isOfState(next.path) else { return nil }
        let shown = FilePath(parts: next.path, []).text
        do throws(MAMError) { directory = try FilePlace.open(next.path, shown) } catch {
            guard isAlone || error.code == .notFound else { throw error }
            if error.code != .notFound { removal.leave(shown, "error", error.message) }
            return nil
        }
        var entry = platform_entry_t()
        guard platform_entry_of(directory.number, &entry) == 0 else { return nil }
        if let expected = next.expected, !entry.number.isSame(expected.number) { return nil }
        self.removal = removal
        path = next.path
        device = entry.device
        // Read from the descriptor: the name may lead elsewhere by now.
        let attribute = try removal.reader.take(removal.reader.read(directory.number), shown)
        if case .label(.verified(let label)) = attribute {
            isOurs = removal.isOurs(label)
        } else {
            isOurs = next.isOurs ? true : try removal.movedRow(entry.number) != nil
        }
        self.next = next
        listing = try Listing(directory, path: path)
    }

    /// Take the next entries; how many there are, 0 when it is through.
    func take(limit: Int) throws(MAMError) -> Int {
        position = 0
        guard try listing.next(limit: limit) else { return 0 }
        if !isBegun { try removeAllCompanions(limit: limit) }
        isBegun = true
        return listing.count
    }

    /// Before any database goes: one tells whose its companions are.
    private func removeAllCompanions(limit: Int) throws(MAMError) {
        guard listing.count == limit else { return try removeCompanions(listing) }
        // Their databases may be among those that come later.
        let all = try Listing(directory, path: path)
        while try all.next(limit: limit) { try removeCompanions(all) }
    }

    /// Whether a pass over all of them can remove any.
    private var isReady: Bool { isOurs || !removal.mark.isEmpty }

    /// What that pass takes; before it, entries are looked at until the label is known that the account's files carry.
    func removable() throws(MAMError) -> platform_removal_t {
        while !isReady, position < listing.count { try lookAtNext() }
        return listing.removal(from: position, in: directory, takesUnmarked: isOurs && !removal.knowsOthers)
    }

    /// Look at what is left of them.
    func finish() throws(MAMError) {
        while position < listing.count { try lookAtNext() }
    }

    private func lookAtNext() throws(MAMError) {
        guard let item = listing.item(position) else { return }
        position += 1
        guard item.isRemoved else { return try look(at: item) }
        seen.append(item.inode)
        removal.count(removed: shown(item), item.inode, links: 1)
    }

    private func look(at item: Listing.Item) throws(MAMError) {
        guard item.mayBeOwned else {
            // A link, a pipe: it can say nothing itself.
            if isOurs { remove(item) }
            return
        }
        let result = removal.reader.read(directory.number, item.name)
        if Int(result) == PLATFORM_ENOENT { return }
        let attribute: OwnerAttribute
        do throws(MAMError) {
            attribute = try removal.reader.take(result, shown(item))
        } catch {
            guard isOurs ? true : try isKnown(item.name) else { return }
            seen.append(item.inode)
            removal.leave(shown(item), result, "read whose it is")
            return
        }
        switch try judge(attribute, item.name) {
        case .others: return
        case .disagrees(let why):
            seen.append(item.inode)
            removal.leave(shown(item), "disagrees", why)
        case .ours:
            if !item.isDirectory { remove(item) }
            if item.isDirectory || item.isUnknown { try descend(item) }
        }
    }

    func judge(_ attribute: OwnerAttribute, _ name: UnsafePointer<CChar>) throws(MAMError) -> Verdict {
        switch attribute {
        case .label(.verified(let label)):
            if removal.isOurs(label) { return .ours }
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

    /// Whether the index knows the very file as the account's, here or elsewhere.
    private func isKnown(_ name: UnsafePointer<CChar>) throws(MAMError) -> Bool {
        var entry = platform_entry_t()
        guard platform_entry_at(directory.number, name, &entry) == 0 else { return false }
        guard let found = try removal.movedRow(entry.number) else { return false }
        if found.directory != next.number { removal.settle(found) }
        return true
    }

    private func isOfOthers(_ name: UnsafePointer<CChar>) throws(MAMError) -> Bool {
        var entry = platform_entry_t()
        guard removal.knowsOthers, platform_entry_at(directory.number, name, &entry) == 0 else { return false }
        return try removal.isOfOthers(entry.number)
    }

    private func remove(_ item: Listing.Item) {
        var entry = platform_entry_t()
        // How many names it has; and it is no directory, where the listing did not say.
        guard platform_entry_at(directory.number, item.name, &entry) == 0, !entry.isDirectory else { return }
        seen.append(item.inode)
        removeFile(item, entry)
    }

    /// Remove and count it.
    func removeFile(_ item: Listing.Item, _ entry: platform_entry_t) {
        let result = platform_remove_at(directory.number, item.name, false)
        if result == 0 {
            removal.count(removed: shown(item), entry.inode, links: entry.links)
        } else if Int(result) != PLATFORM_ENOENT {
            removal.leave(shown(item), result, "remove it")
        }
    }

    private func descend(_ item: Listing.Item) throws(MAMError) {
        var entry = platform_entry_t()
        guard platform_entry_at(directory.number, item.name, &entry) == 0, entry.isDirectory else { return }
        seen.append(item.inode)
        let name = item.characters.dropLast().map { UInt8(bitPattern: $0) }
        let whole = FilePath(parts: path, name).bytes
        let number = try removal.state.read { (view, _) throws(MAMError) in try view.files.directory(whole) }
        // What is mounted there, also a directory of the same file system, is not the account's for lying there.
        let isOurs = entry.device == device && !entry.is_mounted
        below.append(Directory(path: whole, number: number, expected: entry, isOurs: isOurs))
    }

    private func shown(_ item: Listing.Item) -> String {
        FilePath(parts: path, item.characters.dropLast().map { UInt8(bitPattern: $0) }).text
    }
}
