import MAMSupport

/// The number of changes that administrators have made to an authority in a file, signed with its rows. Apps remember it: a file with
/// a lower one is an older copy. A service counts every change (``sequence()``) instead.
extension Store {
    /// The number of the latest change; 0 where none was counted yet.
    func revision() throws(MAMError) -> Int64 {
        try database.first("SELECT number FROM revision") { $0.integer(0) } ?? 0
    }

    /// Count changes, inside the transaction of the last one.
    func raiseRevision(by number: Int64 = 1) throws(MAMError) {
        try database.run(
            "INSERT INTO revision VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET number = revision.number + ?1",
            .integer(number)
        )
    }
}
