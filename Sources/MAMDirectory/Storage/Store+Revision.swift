import MAMSupport

/// The changes that administrators have made to an authority in a file, signed with its rows. Apps remember the latest one, so that
/// they recognise an older copy, also where the copy was changed since. A service counts every change (``sequence()``) instead.
struct Revision: Equatable {
    /// How many changes there were.
    var number: Int64 = 0
    /// A random mark for each of the latest changes, the latest one last.
    var marks: [Int64] = []

    /// An app that missed more changes than this compares their number alone.
    private static let maximumMarks = 1024

    /// Whether these changes include the one with a number and a mark, which is nil before the first change. A change before the
    /// first mark counts as included.
    func includes(_ number: Int64, _ mark: Int64?) -> Bool {
        guard number <= self.number else { return false }
        let later = self.number - number
        guard let mark, later < Int64(marks.count) else { return true }
        return marks[marks.count - 1 - Int(later)] == mark
    }

    /// Counts changes. Several at once leave no mark of those before, so that every app follows.
    mutating func raise(by count: Int64) throws(MAMError) {
        let mark = try randomBytes(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        marks = ((count == 1 ? marks : []) + [mark]).suffix(Revision.maximumMarks)
        number += count
    }
}

extension Store {
    /// The changes until now.
    func revision() throws(MAMError) -> Revision {
        try database.first("SELECT number, marks FROM revision") {
            Revision(number: $0.integer(0), marks: Store.marks($0.blob(1)))
        } ?? Revision()
    }

    /// Count changes, inside the transaction of the last one.
    func raiseRevision(by count: Int64 = 1) throws(MAMError) {
        var revision = try revision()
        try revision.raise(by: count)
        try database.run(
            """
            INSERT INTO revision VALUES (1, ?1, ?2)
            ON CONFLICT (one) DO UPDATE SET number = excluded.number, marks = excluded.marks
            """, .integer(revision.number), .blob(Store.bytes(of: revision.marks)))
    }

    /// Eight bytes for each mark, the most significant one first.
    private static func bytes(of marks: [Int64]) -> [UInt8] {
        marks.flatMap { mark in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: mark >> $0) } }
    }

    private static func marks(_ bytes: [UInt8]) -> [Int64] {
        stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
    }
}
