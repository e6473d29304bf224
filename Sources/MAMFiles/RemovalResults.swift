import CFiles
import MAMState
import MAMSupport

/// The results of removing a wiped account's files: of a part of the removal, or of all parts so far.
struct RemovalResults {
    /// Counts, and the files that remain.
    var files: FileRemovalReport
    /// Rows of files that were found elsewhere than the index says; the next commit removes them.
    var staleRows: [FileIndex.StoredRow] = []
    /// Files that could not be removed. Those without a row get one, by which they are removed later.
    private(set) var failed: [(directory: [UInt8], name: [UInt8], file: FileID)] = []
    /// Files removed since the last commit.
    var uncommitted = 0
    /// Files that were removed under one name and have others: the path, and how many names remain.
    private(set) var linked: [UInt64: (path: String, remaining: UInt64)] = [:]
    /// Files whose last name was removed, by inode.
    private var unlinked: [UInt64] = []

    init(files: FileRemovalReport = FileRemovalReport(known: 0)) { self.files = files }

    /// Add the results of a later part.
    mutating func add(_ part: RemovalResults) {
        files.add(part.files)
        staleRows += part.staleRows
        failed += part.failed
        uncommitted += part.uncommitted
        if !linked.isEmpty { for inode in part.unlinked { linked[inode] = nil } }
        linked.merge(part.linked) { _, later in later }
    }

    mutating func addRemoved(_ path: @autoclosure () -> String, inode: UInt64, links: UInt64) {
        files.removed += 1
        uncommitted += 1
        if links > 1 {
            linked[inode] = (path(), links - 1)
        } else {
            if !linked.isEmpty { linked[inode] = nil }
            unlinked.append(inode)
        }
    }

    mutating func addFailed(_ file: FileID, _ name: [UInt8], in directory: [UInt8], _ errno: Int32) {
        failed.append((directory, name, file))
        addRemaining(FilePath(parts: directory, name).text, errno, "remove it")
    }

    mutating func addRemaining(_ path: String, _ reason: FileRemovalReport.Reason, _ message: String) {
        files.add(.init(path: path, reason: reason, message: message))
    }

    mutating func addRemaining(_ path: String, _ errno: Int32, _ doing: String) {
        let error = MAMError.file(errno, doing, path)
        addRemaining(path, error.code == .permission ? .permission : .error, error.message)
    }
}

/// A directory whose entries are to be checked.
struct RemovalDirectory {
    let path: [UInt8]
    /// The number in the index; nil where the index has no files in it.
    let number: Int64?
    /// The directory that was found at the path; nil for one that the index names.
    let expected: files_entry_t?
    /// Whether the directory is the account's.
    let isOurs: Bool
}
