import CFiles
import MAMState
import MAMSupport

/// Removes the files that a wipe had to leave. The account may have come back since, with new files under the same name: only rows of
/// the former enrollment count, and no label.
public struct RemainingFileRemoval {
    private let state: State
    private let libraryFiles: LibraryFiles
    private let account: AccountRowID

    /// The removal of what the wipe of an account has left.
    public init(_ state: State, _ libraryFiles: LibraryFiles, of account: AccountRowID) {
        (self.state, self.libraryFiles, self.account) = (state, libraryFiles, account)
    }

    /// Remove the files; returns what is left. Rows of files that are gone or were replaced are deleted.
    public func run(isInterrupted: () -> Bool) throws(MAMError) -> FileRemovalReport {
        let directories = try state.read { (view, _) throws(MAMError) in try view.files.checksums(of: account) }
        var files = FileRemovalReport(known: directories.values.reduce(0) { $0 &+ $1.count })
        let libraryFiles = self.libraryFiles.find()
        for number in directories.keys.sorted() {
            guard !isInterrupted() else { throw .interrupted }
            let (path, rows) = try state.read { (view, _) throws(MAMError) in
                (try view.files.path(of: number), try view.files.all(of: account, in: number))
            }
            let settled = remove(rows, path, libraryFiles, &files)
            try state.write { (view) throws(MAMError) in for row in settled { try view.files.remove(row) } }
        }
        if files.retried == 0 {
            try state.write { (view) throws(MAMError) in try view.files.removeAll(of: account) }
        }
        return files
    }

    /// Remove files of one directory; returns the rows that are not needed any more.
    private func remove(
        _ rows: [FileIndex.StoredRow], _ path: [UInt8]?, _ libraryFiles: FoundLibraryFiles,
        _ files: inout FileRemovalReport
    ) -> [FileIndex.StoredRow] {
        guard let path else { return rows }
        let directory: Descriptor
        do throws(MAMError) { directory = try FileLocation.open(path, FilePath(parts: path, []).text) } catch {
            guard error.code != .notFound, error.code != .unsupported else { return rows }
            for row in rows { add(row, path, error, &files) }
            return []
        }
        return rows.filter { row in
            guard let file = row.file else { return true }
            let name = FilePath(parts: [], file.name).characters
            var entry = files_entry_t()
            let looked = files_entry_at(directory.number, name, &entry)
            // Another file took its place, or it is gone.
            guard Int(looked) != FILES_ENOENT, looked != 0 || entry.fileID.isSame(file.fileID) else { return true }
            guard looked == 0, libraryFiles.kind(of: entry) == nil else {
                if looked != 0 {
                    add(row, path, .file(looked, "look at it", FilePath(parts: path, file.name).text), &files)
                }
                return looked == 0
            }
            let result = files_remove_at(directory.number, name, entry.isDirectory)
            switch Int(result) {
            case 0:
                files.removed += 1
                return true
            // A directory that is used again has an owner of its own.
            case FILES_ENOENT, FILES_ENOTEMPTY, FILES_EEXIST: return true
            default:
                add(row, path, .file(result, "remove it", FilePath(parts: path, file.name).text), &files)
                return false
            }
        }
    }

    private func add(_ row: FileIndex.StoredRow, _ path: [UInt8], _ error: MAMError, _ files: inout FileRemovalReport) {
        files.add(
            .init(
                path: FilePath(parts: path, row.file?.name ?? []).text,
                reason: error.code == .permission ? .permission : .error, message: error.message))
    }
}
