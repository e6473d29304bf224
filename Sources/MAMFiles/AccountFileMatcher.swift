import CProcess
import MAMProtection
import MAMState
import MAMSupport

/// Answers whose a label or an index row is. `DirectoryRemoval.verdict` combines the answers: label, then index, then directory.
final class AccountFileMatcher {
    let account: AccountRowID
    let reader: AttributeReader
    /// Whether the index has files of other owners. A file without a label may then be theirs, whatever directory it is in.
    let hasEntriesOfOthers: Bool
    /// The bytes of the account's label that was verified last, which most of its files carry; empty before the first.
    private(set) var labelBytes: [UInt8] = []

    private let state: State
    private let app: [UInt8]
    private let owner: [UInt8]
    /// The names in labels of the account, folded.
    private let names: [[UInt8]]
    private var lastLabel: (label: FileLabel, isOurs: Bool)?

    init(_ state: State, _ libraryFiles: LibraryFiles, of entry: WipeEntry, hasEntriesOfOthers: Bool) {
        self.state = state
        self.libraryFiles = libraryFiles.find()
        self.hasEntriesOfOthers = hasEntriesOfOthers
        account = entry.account
        app = Array(entry.app.utf8)
        owner = Array(entry.accountId.utf8)
        names = [entry.accountId, entry.upn ?? ""].filter { !$0.isEmpty }.map { Identity.fold($0) }
        reader = AttributeReader(state.labelKey)
    }

    /// Whether a label is the account's.
    func isOurs(_ label: FileLabel) -> Bool {
        if let lastLabel, lastLabel.label == label { return lastLabel.isOurs }
        let isOurs = label.app == app && names.contains(label.account.map(Identity.fold))
        if isOurs { labelBytes = reader.latest }
        lastLabel = (label, isOurs)
        return isOurs
    }

    /// A new row of a file of the account.
    func newRow(of file: FileID, _ name: [UInt8]) -> FileIndexEntry {
        FileIndexEntry(account: account, owner: owner, app: app, fileID: file, name: name)
    }

    /// The account's row of a file, in whichever directory the index has it.
    func findRow(of file: FileID) throws(MAMError) -> FileIndex.StoredRow? {
        try state.read { (view, _) throws(MAMError) in
            try view.files.find(inode: file.inode).first { found in
                found.file.map { $0.account == account && $0.fileID.isSame(file) } ?? false
            }
        }
    }

    /// Whether the index has a file, or one of the same name that it has replaced, under another owner, or explicitly under none.
    func isOfOthers(_ file: FileID, named name: [UInt8], in directory: Int64?) throws(MAMError) -> Bool {
        guard hasEntriesOfOthers else { return false }
        let entries = try state.read { (view, _) throws(MAMError) in
            let own = try view.files.find(inode: file.inode).compactMap(\.file).filter { $0.fileID.isSame(file) }
            guard own.isEmpty, let directory else { return own }
            return [try view.files.find(name, in: directory)?.file].compactMap(\.self)
        }
        return !entries.isEmpty && !entries.contains { $0.account == account }
    }

    /// Whether the index has a file under any owner, or has a row of its inode that does not verify.
    func isIndexed(_ file: FileID) throws(MAMError) -> Bool {
        try state.read { (view, _) throws(MAMError) in
            try view.files.find(inode: file.inode).contains { $0.file.map { $0.fileID.isSame(file) } ?? true }
        }
    }

    /// The index's number of a directory; nil where the index has no files in it.
    func directoryNumber(_ path: [UInt8]) throws(MAMError) -> Int64? {
        try state.read { (view, _) throws(MAMError) in try view.files.directory(path) }
    }

    /// libmam's own files, of which nothing is removed.
    let libraryFiles: FoundLibraryFiles
}
