import CFiles
import CProcess
import MAMProtection
import MAMState
import MAMSupport

/// Removes the files of a wiped account: those in the index of owned files, and those with the account's label in directories
/// that the index knows.
///
/// A killed removal is resumed: progress is saved in the commit that deletes the rows of the files it counts.
public final class OwnedFileRemoval {
    let state: State
    let matcher: AccountFileMatcher
    /// The number of other threads that may help.
    let helpers: UInt32
    var results: RemovalResults
    private var files: FileRemovalReport { results.files }

    private let isResumed: Bool
    /// Inodes that the index has in each directory.
    private let checksums: [Int64: InodeChecksum]
    /// Directories of the index that were processed, some of them before their turn.
    private var done: Set<Int64> = []
    /// The last of them in the index's order.
    private var furthest: Int64 = 0
    private var lastCommit = process_clock_monotonic_ms()
    private static let filesPerCommit = 16_384

    /// `files` is what the journal has of a removal that was interrupted; nil for a new one. With `hasHelpers` other threads help.
    public init(
        _ state: State, _ libraryFiles: LibraryFiles, of entry: WipeEntry, resuming files: FileRemovalReport?,
        hasHelpers: Bool
    ) throws(MAMError) {
        self.state = state
        isResumed = files != nil
        helpers = hasHelpers ? UInt32(FILES_REMOVAL_THREADS) : 0
        let (checksums, hasEntriesOfOthers) = try state.read { (view, _) throws(MAMError) in
            (try view.files.checksums(of: entry.account), try view.files.hasEntriesOfOthers(than: entry.account))
        }
        self.checksums = checksums
        matcher = AccountFileMatcher(state, libraryFiles, of: entry, hasEntriesOfOthers: hasEntriesOfOthers)
        results = RemovalResults(
            files: files ?? FileRemovalReport(known: checksums.values.reduce(0) { $0 &+ $1.count }))
    }

    /// Remove the files; returns the results. `save` stores the progress in the transaction that deletes the rows, and a removal that
    /// failed or was interrupted resumes there; `report` follows each commit; `isInterrupted` is called between directories.
    public func run(
        isInterrupted: () -> Bool, save: (FileRemovalReport, StateView) throws(MAMError) -> Void,
        report: (FileRemovalReport) -> Void
    ) throws(MAMError) -> FileRemovalReport {
        // Temporary files of killed processes may have copies of the account's data.
        PendingFile.removeStale(state)
        if !isResumed { try commit(through: 0, save) }
        var last = files.through
        while true {
            let next = try state.read { (view, _) throws(MAMError) in
                try view.files.directories(after: last, limit: 256)
            }
            guard !next.isEmpty else { break }
            for (number, path) in next {
                guard !isInterrupted() else {
                    if last >= furthest { try commit(through: last, save) }
                    throw .interrupted
                }
                if !done.contains(number) {
                    if let path { try remove(in: path, number) } else { addIncomplete(number) }
                }
                last = number
                let isLate = process_clock_monotonic_ms() > lastCommit &+ 1000
                // A resumed removal would count the files of directories after `last` again.
                guard last >= furthest,
                    results.uncommitted >= OwnedFileRemoval.filesPerCommit || isLate && results.uncommitted > 0
                else { continue }
                try commit(through: last, save)
                report(files)
            }
        }
        try commit(through: last, save)
        try finish(save)
        report(files)
        return files
    }

    private func commit(
        through last: Int64, _ save: (FileRemovalReport, StateView) throws(MAMError) -> Void
    ) throws(MAMError) {
        var counted = files
        counted.through = last
        try state.write { (view) throws(MAMError) in
            for row in results.staleRows { try view.files.remove(row) }
            try save(counted, view)
        }
        results.files = counted
        (results.staleRows, results.uncommitted, lastCommit) = ([], 0, process_clock_monotonic_ms())
    }

    /// Report the files of the index that were not seen, and delete all rows of the account.
    private func finish(_ save: (FileRemovalReport, StateView) throws(MAMError) -> Void) throws(MAMError) {
        for directory in files.unsettled {
            let (path, rest) = try state.read { (view, _) throws(MAMError) in
                (try view.files.path(of: directory), try view.files.all(of: matcher.account, in: directory))
            }
            for row in rest { addUnseen(path, row.file) }
        }
        for (path, remaining) in results.linked.values where remaining > 0 {
            results.addRemaining(
                path, .otherNames,
                "was removed, and has \(remaining) more names in directories that libmam does not know")
        }
        let counted = files
        try state.write { (view) throws(MAMError) in
            if counted.retried > 0 { try keepRowsOfLeft(view) } else { try view.files.removeAll(of: matcher.account) }
            try save(counted, view)
        }
    }

    /// Keep the rows of files that are still there, so that no call opens them and a later attempt finds them.
    private func keepRowsOfLeft(_ view: StateView) throws(MAMError) {
        for number in checksums.keys.sorted() {
            let path = try view.files.path(of: number)
            let directory = path.flatMap { try? FileLocation.open($0, "") }
            for row in try view.files.all(of: matcher.account, in: number) {
                guard let path, let file = row.file else {
                    try view.files.remove(row)
                    continue
                }
                var entry = files_entry_t()
                let name = FilePath(parts: [], file.name).characters
                let looked = directory.map { files_entry_at($0.number, name, &entry) }
                let isGone = looked.map { Int($0) == FILES_ENOENT } ?? isMissing(path)
                if isGone || looked == 0 && !entry.fileID.isSame(file.fileID) { try view.files.remove(row) }
            }
        }
        for (path, name, file) in results.failed {
            try view.files.put(matcher.newRow(of: file, name), in: try view.files.makeDirectory(path))
        }
        try view.files.removeEmptyDirectories()
    }

    private func isMissing(_ directory: [UInt8]) -> Bool {
        do throws(MAMError) { _ = try FileLocation.open(directory, "") } catch { return error.code == .notFound }
        return false
    }

    private func addUnseen(_ directory: [UInt8]?, _ file: FileIndexEntry?) {
        let path = FilePath(parts: directory ?? [], file?.name ?? []).text
        guard let directory, let file else {
            return results.addRemaining(
                path, .gone, "its row in the index does not verify: its location is unknown")
        }
        var entry = files_entry_t()
        let parent: Descriptor?
        do throws(MAMError) { parent = try FileLocation.open(directory, path) } catch {
            guard error.code == .notFound || error.code == .unsupported else {
                return results.addRemaining(path, error.code == .permission ? .permission : .error, error.message)
            }
            parent = nil
        }
        let name = FilePath(parts: [], file.name).characters
        if let parent, files_entry_at(parent.number, name, &entry) == 0 {
            guard !entry.fileID.isSame(file.fileID) else {
                return results.addRemaining(path, .error, "\(path) was not removed: it was moved meanwhile")
            }
            return results.addRemaining(
                path, .replaced, "another file took its place, and its owner is unknown")
        }
        if isResumed {
            results.files.removed += 1
        } else {
            results.addRemaining(path, .gone, "is not there: it was removed or moved by others")
        }
    }

    // MARK: Directories

    /// Remove the account's files in one directory of the index, and in the account's directories below.
    private func remove(in path: [UInt8], _ number: Int64) throws(MAMError) {
        var waiting = [RemovalDirectory(path: path, number: number, expected: nil, isOurs: false)]
        var ours: [RemovalDirectory] = []
        while !waiting.isEmpty {
            let removals = try open(&waiting)
            try run(removals)
            for removal in removals {
                if removal.isOurs { ours.append(removal.directory) }
                waiting += removal.subdirectories
                guard let number = removal.directory.number, done.insert(number).inserted else { continue }
                furthest = max(furthest, number)
                try compare(number, removal.seen)
            }
        }
        for directory in ours.reversed() where directory.expected != nil { removeDirectory(directory) }
    }

    /// Compare the inodes seen in a directory with those of the index. Where some are missing, the rows of the others are deleted
    /// and the directory is marked incomplete.
    private func compare(_ number: Int64, _ seen: [UInt64]) throws(MAMError) {
        guard let known = checksums[number] else { return }
        var checksum = InodeChecksum()
        for inode in seen { checksum.add(inode) }
        guard checksum != known else { return }
        let rows = try state.read { (view, _) throws(MAMError) in
            try view.files.all(of: matcher.account, in: number)
        }
        let seen = Set(seen)
        let unseen = rows.filter { row in row.file.map { !seen.contains($0.fileID.inode) } ?? true }
        guard !unseen.isEmpty else { return }
        addIncomplete(number)
        results.staleRows += rows.filter { row in row.file.map { seen.contains($0.fileID.inode) } ?? false }
    }

    func addIncomplete(_ number: Int64) {
        guard checksums[number] != nil, !files.unsettled.contains(number) else { return }
        results.files.unsettled.append(number)
    }

    private func removeDirectory(_ directory: RemovalDirectory) {
        guard let slash = directory.path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else { return }
        let displayPath = FilePath(parts: directory.path, []).text
        guard let parent = try? FileLocation.open(Array(directory.path[..<slash]), displayPath) else { return }
        let result = files_remove_at(
            parent.number, FilePath(parts: [], Array(directory.path[(slash + 1)...])).characters, true)
        switch Int(result) {
        case 0: results.files.removed += 1
        case FILES_ENOENT: return
        case FILES_ENOTDIR:
            results.addRemaining(displayPath, .replaced, "another file took the directory's place")
        case FILES_ENOTEMPTY, FILES_EEXIST:
            results.addRemaining(
                displayPath, .notEmpty, "something in it is not the account's, or could not be removed")
        default: results.addRemaining(displayPath, result, "remove the directory")
        }
    }
}
