import MAMProtection
import MAMSupport

/// The index of owned files: rows by directory and name, sealed under the state key, so that they can still be read when
/// the account's key is gone.
public struct FileStore {
    let view: StateView

    /// A row and where it is.
    public struct Found: Sendable {
        /// The number of its directory.
        public let directory: Int64
        /// The number of its name.
        public let name: Int64
        /// What it says; nil where it does not verify.
        public let file: OwnedFile?
    }

    // MARK: Directories

    /// The number of a directory; nil where no owned file was ever known in it.
    public func directory(_ path: [UInt8]) throws(MAMError) -> Int64? {
        try view.database.first("SELECT number FROM directories WHERE place = ?", .blob(number(of: path))) {
            $0.integer(0)
        }
    }

    /// The same, given one where it has none.
    public func makeDirectory(_ path: [UInt8]) throws(MAMError) -> Int64 {
        if let known = try directory(path) { return known }
        let place = number(of: path)
        let sealed = try view.seal("directories").seal(bytes: path, id: place, column: "record")
        try view.database.run(
            "INSERT INTO directories (place, record) VALUES (?, ?)", .blob(place), .blob(sealed))
        return view.database.lastInsertedRow
    }

    /// The directories after a number, in their order, with their paths; nil for one that does not verify.
    public func directories(after last: Int64, limit: Int) throws(MAMError) -> [(number: Int64, path: [UInt8]?)] {
        let seal = view.seal("directories")
        return try view.database.all(
            "SELECT number, place, record FROM directories WHERE number > ? ORDER BY number LIMIT ?", .integer(last),
            .integer(Int64(limit))
        ) { row throws(MAMError) in
            let place = row.blob(1)
            let path = try? seal.open(bytes: row.blob(2), id: place, column: "record")
            return (row.integer(0), path.flatMap { number(of: $0) == place ? $0 : nil })
        }
    }

    /// Forget directories in which no owned file is known any more.
    public func removeEmptyDirectories() throws(MAMError) {
        try view.database.run("DELETE FROM directories WHERE number NOT IN (SELECT directory FROM files)")
    }

    // MARK: Files

    /// Write down whose a file is, in the place of what was known under its name.
    public func put(_ file: OwnedFile, in directory: Int64) throws(MAMError) {
        let name = nameNumber(of: file.name)
        try view.database.run(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", .integer(directory), .integer(name),
            .blob(file.accountBytes), .integer(Int64(bitPattern: file.number.inode)),
            .blob(try view.seal("files").seal(bytes: file.bytes, id: id(directory, name), column: "record")))
    }

    /// What is known under a name.
    public func find(_ name: [UInt8], in directory: Int64) throws(MAMError) -> Found? {
        try view.database.first(
            "SELECT directory, name, account, inode, record FROM files WHERE directory = ? AND name = ?",
            .integer(directory), .integer(nameNumber(of: name)), map: found)
    }

    /// What is known under a file's number, wherever it is.
    public func find(inode: UInt64) throws(MAMError) -> [Found] {
        try view.database.all(
            "SELECT directory, name, account, inode, record FROM files WHERE inode = ? LIMIT 64",
            .integer(Int64(bitPattern: inode)), map: found)
    }

    /// Rows of an account in a directory.
    public func all(of account: AccountRowID, in directory: Int64) throws(MAMError) -> [Found] {
        try view.database.all(
            "SELECT directory, name, account, inode, record FROM files WHERE directory = ? AND account = ?",
            .integer(directory), .blob(account.bytes), map: found)
    }

    /// How many files an account has in each directory, and what their numbers come to together.
    public func tallies(of account: AccountRowID) throws(MAMError) -> [Int64: FileTally] {
        var tallies: [Int64: FileTally] = [:]
        // In the table's own order: sorted, they would fill memory and then a temporary file.
        try view.database.query(
            "SELECT directory, count(*), sum(inode & 4294967295) FROM files NOT INDEXED WHERE account = ? GROUP BY directory",
            [.blob(account.bytes)]
        ) { (row) throws(MAMError) in
            tallies[row.integer(0)] = FileTally(count: row.integer(1), sum: row.integer(2))
        }
        return tallies
    }

    /// Forget a row.
    public func remove(_ found: Found) throws(MAMError) {
        try view.database.run(
            "DELETE FROM files WHERE directory = ? AND name = ?", .integer(found.directory), .integer(found.name))
    }

    /// Whether any row is another account's, or nobody's.
    public func knowsOthers(than account: AccountRowID) throws(MAMError) -> Bool {
        try view.database.first(
            "SELECT 1 FROM files INDEXED BY files_by_inode WHERE account != ? LIMIT 1", .blob(account.bytes)
        ) {
            $0.integer(0)
        } != nil
    }

    /// A row whose columns are not what was sealed was edited or moved.
    func found(_ row: Row) throws(MAMError) -> Found {
        let (directory, name) = (row.integer(0), row.integer(1))
        let bytes = try? view.seal("files").open(bytes: row.blob(4), id: id(directory, name), column: "record")
        var file = bytes.flatMap(OwnedFile.init(bytes:))
        if let known = file {
            let isTrue =
                known.accountBytes == row.blob(2) && known.number.inode == UInt64(bitPattern: row.integer(3))
                && nameNumber(of: known.name) == name
            if !isTrue { file = nil }
        }
        return Found(directory: directory, name: name, file: file)
    }

    private func id(_ directory: Int64, _ name: Int64) -> [UInt8] {
        bigEndian(UInt64(bitPattern: directory)) + bigEndian(UInt64(bitPattern: name))
    }

    private func number(of path: [UInt8]) -> [UInt8] { view.state.labelKey.placeNumber(of: path) }

    private func nameNumber(of name: [UInt8]) -> Int64 {
        Int64(bitPattern: number(of: name).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

extension FileStore {
    /// The path of a directory; nil where its row does not verify.
    public func path(of directory: Int64) throws(MAMError) -> [UInt8]? {
        try directories(after: directory - 1, limit: 1).first { $0.number == directory }?.path ?? nil
    }
}

/// What tells whether all of some files were seen, without having them by name.
public struct FileTally: Equatable, Sendable {
    /// How many.
    public var count: Int64 = 0
    /// The sum of their numbers' lower halves.
    public var sum: Int64 = 0

    /// Of none.
    public init() {}

    init(count: Int64, sum: Int64) {
        self.count = count
        self.sum = sum
    }

    /// One more.
    public mutating func add(_ inode: UInt64) {
        count &+= 1
        sum &+= Int64(inode & 0xFFFF_FFFF)
    }
}
