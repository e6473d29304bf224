import CPlatform
import MAMProtection
import MAMState
import MAMSupport

/// Removes the files that a wiped account owns: what the index knows, and whatever carries the account's label in a directory
/// that the index knows. Killed anywhere, another one goes on: a row goes in the commit that counts its file.
public final class OwnedRemoval {
    let state: State
    let account: AccountRowID
    let app: [UInt8]
    /// What its labels name, folded.
    let names: [[UInt8]]
    /// Began before this process did.
    let isResumed: Bool
    /// What became of them so far.
    public private(set) var files: WipedFiles
    let reader: AttributeReader

    private var done: Set<Int64> = []
    /// The last of them in the index's order.
    private var furthest: Int64 = 0
    private var settled: [FileStore.Found] = []
    private let tallies: [Int64: FileTally]
    /// Whether the index knows files of others: what says nothing itself may be theirs, wherever it lies.
    let knowsOthers: Bool
    private var sinceCommit = 0
    private var lastCommit = platform_time_monotonic()
    private var linked: [UInt64: (path: String, left: UInt64)] = [:]
    private var lastLabel: (label: FileLabel, isOurs: Bool)?
    /// How many other threads may take part.
    let helpers: UInt32
    /// The bytes of a label of the account's, which most of its files carry; empty before the first was seen.
    private(set) var mark: [UInt8] = []
    private static let batch = 16_384

    /// Of an account of an app, by its names; `files` nil where this is the beginning. `hasHelpers`: other threads may take part.
    public init(
        _ state: State, of entry: WipeEntry, resuming files: WipedFiles?, hasHelpers: Bool
    ) throws(MAMError) {
        self.state = state
        account = entry.account
        app = Array(entry.app.utf8)
        names = [entry.accountId, entry.upn ?? ""].filter { !$0.isEmpty }.map { Identity.fold($0) }
        isResumed = files != nil
        reader = AttributeReader(state.labelKey)
        helpers = hasHelpers ? UInt32(PLATFORM_HELPERS) : 0
        (tallies, knowsOthers) = try state.read { (view, _) throws(MAMError) in
            (try view.files.tallies(of: entry.account), try view.files.knowsOthers(than: entry.account))
        }
        self.files = files ?? WipedFiles(known: tallies.values.reduce(0) { $0 &+ $1.count })
    }

    /// Remove them. `keep` writes down how far it came, in the commit that forgets the rows; `isOver` ends it between two
    /// files of another batch.
    public func run(
        isOver: () -> Bool, keep: (WipedFiles, StateView) throws(MAMError) -> Void, tell: (WipedFiles) -> Void
    ) throws(MAMError) {
        // A copy that a killed process was making may hold what the account's files held.
        PendingFile.sweep(state)
        if !isResumed { try commit(through: 0, keep) }
        var last = files.through
        while true {
            let next = try state.read { (view, _) throws(MAMError) in
                try view.files.directories(after: last, limit: 256)
            }
            guard !next.isEmpty else { break }
            for (number, path) in next {
                guard !isOver() else {
                    if last >= furthest { try commit(through: last, keep) }
                    throw .interrupted
                }
                if !done.contains(number) {
                    if let path { try remove(in: path, number) } else { unsettle(number) }
                }
                last = number
                let isLate = platform_time_monotonic() > lastCommit &+ 1000
                // What was counted in directories that come later would be counted again by whoever goes on.
                guard last >= furthest, sinceCommit >= OwnedRemoval.batch || isLate && sinceCommit > 0 else { continue }
                try commit(through: last, keep)
                tell(files)
            }
        }
        try commit(through: last, keep)
        try finish(keep)
        tell(files)
    }

    private func commit(
        through last: Int64, _ keep: (WipedFiles, StateView) throws(MAMError) -> Void
    ) throws(MAMError) {
        var counted = files
        counted.through = last
        try state.write { (view) throws(MAMError) in
            for found in settled { try view.files.remove(found) }
            try keep(counted, view)
        }
        files = counted
        (settled, sinceCommit, lastCommit) = ([], 0, platform_time_monotonic())
    }

    /// What is left of the index: files that are nowhere that it knows.
    private func finish(_ keep: (WipedFiles, StateView) throws(MAMError) -> Void) throws(MAMError) {
        for directory in files.unsettled {
            let (path, rest) = try state.read { (view, _) throws(MAMError) in
                (try view.files.path(of: directory), try view.files.all(of: account, in: directory))
            }
            for found in rest { lose(path, found.file) }
        }
        for (path, left) in linked.values where left > 0 {
            files.leave(
                .init(
                    path: path, reason: "otherNames",
                    message: "was removed, and has \(left) more names in directories that libmam does not know"))
        }
        let counted = files
        try state.write { (view) throws(MAMError) in
            try view.files.removeAll(of: account)
            try keep(counted, view)
        }
    }

    private func lose(_ directory: [UInt8]?, _ file: OwnedFile?) {
        let path = FilePath(parts: directory ?? [], file?.name ?? []).text
        guard let directory, let file else {
            return files.leave(
                .init(
                    path: path, reason: "gone",
                    message: "its row in the index does not verify: where it is nobody knows"))
        }
        var entry = platform_entry_t()
        let parent = try? FilePlace.open(directory, path)
        let name = FilePath(parts: [], file.name).characters
        if let parent, platform_entry_at(parent.number, name, &entry) == 0 {
            guard !entry.number.isSame(file.number) else { return leave(path, "error", "was not looked at") }
            return leave(path, "replaced", "another file took its place, and nothing says whose that is")
        }
        if isResumed {
            files.removed += 1
        } else {
            files.leave(.init(path: path, reason: "gone", message: "is not there: it was removed or moved by others"))
        }
    }

    func leave(_ path: String, _ reason: String, _ message: String) {
        files.leave(.init(path: path, reason: reason, message: message))
    }

    func leave(_ path: String, _ errno: Int32, _ doing: String) {
        let error = MAMError.file(errno, doing, path)
        leave(path, error.code == .permission ? "permission" : "error", error.message)
    }

    // MARK: Directories

    /// One directory that the index knows, and below it every one that is the account's.
    private func remove(in path: [UInt8], _ number: Int64) throws(MAMError) {
        var waiting = [Directory(path: path, number: number, expected: nil, isOurs: false)]
        var emptied: [Directory] = []
        while !waiting.isEmpty {
            let sweeps = try open(&waiting)
            try run(sweeps)
            for sweep in sweeps {
                if sweep.isOurs { emptied.append(sweep.next) }
                waiting += sweep.below
                guard let number = sweep.next.number, done.insert(number).inserted else { continue }
                furthest = max(furthest, number)
                try settle(number, sweep.seen)
            }
        }
        for directory in emptied.reversed() where directory.expected != nil { removeEmptied(directory) }
    }

    /// Whether every file that the index knows in a directory was seen; where not, only rows of those stay.
    private func settle(_ number: Int64, _ seen: [UInt64]) throws(MAMError) {
        guard let known = tallies[number] else { return }
        var tally = FileTally()
        for inode in seen { tally.add(inode) }
        guard tally != known else { return }
        let rows = try state.read { (view, _) throws(MAMError) in try view.files.all(of: account, in: number) }
        let seen = Set(seen)
        let unseen = rows.filter { row in row.file.map { !seen.contains($0.number.inode) } ?? true }
        guard !unseen.isEmpty else { return }
        unsettle(number)
        settled += rows.filter { row in row.file.map { seen.contains($0.number.inode) } ?? false }
    }

    func unsettle(_ number: Int64) {
        if tallies[number] != nil, !files.unsettled.contains(number) { files.unsettled.append(number) }
    }

    private func removeEmptied(_ directory: Directory) {
        guard let slash = directory.path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else { return }
        let shown = FilePath(parts: directory.path, []).text
        guard let parent = try? FilePlace.open(Array(directory.path[..<slash]), shown) else { return }
        let result = platform_remove_at(
            parent.number, FilePath(parts: [], Array(directory.path[(slash + 1)...])).characters, true)
        switch Int(result) {
        case 0: files.removed += 1
        case PLATFORM_ENOENT: return
        case PLATFORM_ENOTEMPTY, PLATFORM_EEXIST:
            leave(shown, "notEmpty", "something in it is not the account's, or could not be removed")
        default: leave(shown, result, "remove the directory")
        }
    }

    /// Whether a label is the account's.
    func isOurs(_ label: FileLabel) -> Bool {
        if let lastLabel, lastLabel.label == label { return lastLabel.isOurs }
        let isOurs = label.app == app && names.contains(label.account.map(Identity.fold))
        if isOurs { mark = reader.latest }
        lastLabel = (label, isOurs)
        return isOurs
    }

    /// A row of the account for a file that lies elsewhere than it says.
    func movedRow(_ number: FileNumber) throws(MAMError) -> FileStore.Found? {
        try state.read { (view, _) throws(MAMError) in
            try view.files.find(inode: number.inode).first { found in
                found.file.map { $0.account == account && $0.number.isSame(number) } ?? false
            }
        }
    }

    func count(removed path: @autoclosure () -> String, _ inode: UInt64, links: UInt64) {
        files.removed += 1
        sinceCommit += 1
        if links > 1 {
            linked[inode] = (path(), links - 1)
        } else if !linked.isEmpty {
            linked[inode] = nil
        }
    }

    /// A row of another directory is of a file that was seen.
    func settle(_ found: FileStore.Found) { settled.append(found) }
}

/// A directory that is to be looked through.
struct Directory {
    let path: [UInt8]
    /// Its number in the index; nil where that does not know it.
    let number: Int64?
    /// What it has to be; nil for one that the index names.
    let expected: platform_entry_t?
    /// Whether it is the account's.
    let isOurs: Bool
}
