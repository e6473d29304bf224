import MAMSupport

/// The number of committed changes, in a directory that counts them: registrations, wipes and what administrators do. Check-ins are
/// not changes. Wipe ids and wipe marks are such numbers, so that a number above it betrays an older copy of the database.
extension Store {
    /// The number of the latest change.
    package func sequence() throws(MAMError) -> Int64 {
        try database.first("SELECT number FROM sequence") { $0.integer(0) } ?? 0
    }

    /// The number of the latest change that an administrator made: what is delivered to whom depends on those alone.
    package func administrativeSequence() throws(MAMError) -> Int64 {
        try database.first("SELECT administrative FROM sequence") { $0.integer(0) } ?? 0
    }

    /// Count a change of an administrator, inside its transaction.
    package func raiseAdministrativeSequence() throws(MAMError) {
        try database.run("UPDATE sequence SET number = number + 1, administrative = number + 1")
    }

    /// By how much accepting a copy raises its number of changes: beyond those of the lost copy, and of every copy that was accepted before,
    /// as long as the clock goes forward and there are fewer than 2²⁰ changes a second.
    package static func raise(of number: Int64, accepting now: Instant) -> Int64 {
        max(1 << 32, (now.milliseconds / 1000) << 20 &- number)
    }

    /// Count a change, inside its transaction.
    package func raiseSequence(by number: Int64 = 1) throws(MAMError) {
        try database.run("UPDATE sequence SET number = number + ?", .integer(number))
    }
}
