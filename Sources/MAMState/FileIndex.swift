import MAMProtection
import MAMSupport

/// The index of owned files, by directory and name. Its rows are sealed under the state key, so that they stay readable after an
/// account's key was destroyed.
public struct FileIndex {
    let view: StateView

    /// A row of the index.
    public struct StoredRow: Sendable {
        /// The number of the directory.
        public let directory: Int64
        /// The hash of the name.
        public let name: Int64
        /// The content; nil where it does not verify.
        public let file: FileIndexEntry?
    }

    // MARK: Directories

    /// The number of a directory; nil where the index never had a file in it.
    public func directory(_ path: [UInt8]) throws(MAMError) -> Int64? {
        try view.database.first("SELECT number FROM directories WHERE place = ?", .blob(pathHash(of: path))) {
            $0.integer(0)
        }
    }

    /// The number of a directory, which is added where it is missing.
    public func makeDirectory(_ path: [UInt8]) throws(MAMError) -> Int64 {
        if let known = try directory(path) { return known }
        let pathHash = self.pathHash(of: path)
        let sealed = try view.seal("directories").seal(bytes: path, id: pathHash, column: "record")
        try view.database.run(
            "INSERT INTO directories (place, record) VALUES (?, ?)", .blob(pathHash), .blob(sealed))
        return view.database.lastInsertedRow
    }

    /// The directories after a number, in order. The path is nil where it does not verify.
    public func directories(after last: Int64, limit: Int) throws(MAMError) -> [(number: Int64, path: [UInt8]?)] {
        let seal = view.seal("directories")
        return try view.database.all(
            "SELECT number, place, record FROM directories WHERE number > ? ORDER BY number LIMIT ?", .integer(last),
            .integer(Int64(limit))
        ) { row throws(MAMError) in
            let pathHash = row.blob(1)
            let path = try? seal.open(bytes: row.blob(2), id: pathHash, column: "record")
            return (row.integer(0), path.flatMap { self.pathHash(of: $0) == pathHash ? $0 : nil })
        }
    }

    /// Delete directories without files.
    public func removeEmptyDirectories() throws(MAMError) {
        try view.database.run("DELETE FROM directories WHERE number NOT IN (SELECT directory FROM files)")
    }

    // MARK: Files

    /// Store a file, in place of a row with the same name.
    public func put(_ file: FileIndexEntry, in directory: Int64) throws(MAMError) {
        let name = nameHash(of: file.name)
        try view.database.run(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", .integer(directory), .integer(name),
            .blob(file.accountBytes), .integer(Int64(bitPattern: file.fileID.inode)),
            .blob(try view.seal("files").seal(bytes: file.bytes, id: id(directory, name), column: "record")))
    }

    /// The row of a name.
    public func find(_ name: [UInt8], in directory: Int64) throws(MAMError) -> StoredRow? {
        try view.database.first(
            "SELECT directory, name, account, inode, record FROM files WHERE directory = ? AND name = ?",
            .integer(directory), .integer(nameHash(of: name)), map: found)
    }

    /// The rows of an inode, in any directory.
    public func find(inode: UInt64) throws(MAMError) -> [StoredRow] {
        try view.database.all(
            "SELECT directory, name, account, inode, record FROM files WHERE inode = ? LIMIT 64",
            .integer(Int64(bitPattern: inode)), map: found)
    }

    /// The rows of an account in a directory.
    public func all(of account: AccountRowID, in directory: Int64) throws(MAMError) -> [StoredRow] {
        try view.database.all(
            "SELECT directory, name, account, inode, record FROM files WHERE directory = ? AND account = ?",
            .integer(directory), .blob(account.bytes), map: found)
    }

    /// For each directory, the checksum of the account's inodes.
    public func checksums(of account: AccountRowID) throws(MAMError) -> [Int64: InodeChecksum] {
        var checksums: [Int64: InodeChecksum] = [:]
        // In table order: sorting would use memory, and then a temporary file.
        try view.database.query(
            "SELECT directory, count(*), sum(inode & 4294967295) FROM files NOT INDEXED WHERE account = ? GROUP BY directory",
            [.blob(account.bytes)]
        ) { (row) throws(MAMError) in
            checksums[row.integer(0)] = InodeChecksum(count: row.integer(1), sum: row.integer(2))
        }
        return checksums
    }

    /// Delete a row.
    public func remove(_ found: StoredRow) throws(MAMError) {
        try view.database.run(
            "DELETE FROM files WHERE directory = ? AND name = ?", .integer(found.directory), .integer(found.name))
    }

    /// Whether any row is of another account or of no account.
    public func hasEntriesOfOthers(than account: AccountRowID) throws(MAMError) -> Bool {
        try view.database.first(
            "SELECT 1 FROM files INDEXED BY files_by_inode WHERE account != ? LIMIT 1", .blob(account.bytes)
        ) {
            $0.integer(0)
        } != nil
    }

    /// A row whose columns differ from the sealed content was edited or moved.
    func found(_ row: Row) throws(MAMError) -> StoredRow {
        let (directory, name) = (row.integer(0), row.integer(1))
        let bytes = try? view.seal("files").open(bytes: row.blob(4), id: id(directory, name), column: "record")
        var file = bytes.flatMap(FileIndexEntry.init(bytes:))
        if let known = file {
            let isTrue =
                known.accountBytes == row.blob(2) && known.fileID.inode == UInt64(bitPattern: row.integer(3))
                && nameHash(of: known.name) == name
            if !isTrue { file = nil }
        }
        return StoredRow(directory: directory, name: name, file: file)
    }

    private func id(_ directory: Int64, _ name: Int64) -> [UInt8] {
        bigEndian(UInt64(bitPattern: directory)) + bigEndian(UInt64(bitPattern: name))
    }

    private func pathHash(of path: [UInt8]) -> [UInt8] { view.state.labelKey.pathHash(of: path) }

    private func nameHash(of name: [UInt8]) -> Int64 {
        Int64(bitPattern: pathHash(of: name).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

extension FileIndex {
    /// The path of a directory; nil where its row does not verify.
    public func path(of directory: Int64) throws(MAMError) -> [UInt8]? {
        try directories(after: directory - 1, limit: 1).first { $0.number == directory }?.path ?? nil
    }
}

/// Count and sum of a set of inodes, to compare two sets without storing them.
public struct InodeChecksum: Equatable, Sendable {
    /// The number of inodes.
    public var count: Int64 = 0
    /// The sum of the lower halves of the inode numbers.
    public var sum: Int64 = 0

    /// The checksum of the empty set.
    public init() {}

    init(count: Int64, sum: Int64) {
        self.count = count
        self.sum = sum
    }

    /// Add an inode.
    public mutating func add(_ inode: UInt64) {
        count &+= 1
        sum &+= Int64(inode & 0xFFFF_FFFF)
    }
}
