import MAMDirectory
import MAMSupport

/// Ends of registrations are forgotten after 400 days, so that a database does not grow for ever. Registrations that last, and wipes
/// that wait, are never forgotten, however long an app is silent.
extension Store {
    /// How long the end of a registration is remembered, in days.
    static let remembrance: Int64 = 400

    /// Registrations that have ended without a record of it, since an administrator has removed them or their user.
    private static let unnoted = """
        ended IS NULL AND "end" IS NULL
            AND NOT EXISTS (SELECT 1 FROM registrations r WHERE r.id = registrants.registration)
        """

    /// Registrations whose end is not noted yet, at most so many. All are looked at, which takes a while.
    func unnotedEnds(most: Int) throws(MAMError) -> [String] {
        try database.all(
            "SELECT registration FROM registrants WHERE \(Store.unnoted) LIMIT ?", .integer(Int64(most))
        ) { $0.text(0) ?? "" }
    }

    /// Note that registrations have ended by now.
    func noteEnds(of registrations: [String], now: Instant) throws(MAMError) {
        for registration in registrations {
            try database.run(
                "UPDATE registrants SET ended = ? WHERE registration = ? AND \(Store.unnoted)",
                .integer(now.milliseconds), .text(registration))
        }
    }

    /// Forget at most so many registrations that ended before a time, with what is kept about them. A wipe that waits for one keeps it.
    /// Returns the number.
    func forgetRegistrants(endedBefore time: Instant, most: Int) throws(MAMError) -> Int {
        let forgotten = try database.all(
            """
            SELECT registration, device_tag FROM registrants e WHERE ended <= ? AND ("end" = 'wiped' OR NOT EXISTS (
                SELECT 1 FROM wipes w WHERE w.account_key = e.account_key AND w.id > e.wipe_mark
                    AND (w.app IS NULL OR w.app = e.app) AND (w.device_tag IS NULL OR w.device_tag = e.device_tag)
                    AND NOT EXISTS (
                        SELECT 1 FROM wipes_done d WHERE d.wipe = w.id AND d.registration = e.registration)))
            ORDER BY ended LIMIT ?
            """, .integer(time.milliseconds), .integer(Int64(most))
        ) { (registration: $0.text(0) ?? "", tag: $0.text(1) ?? "") }
        for (registration, _) in forgotten {
            try database.run("DELETE FROM registrants WHERE registration = ?", .text(registration))
            try database.run("DELETE FROM sign_ins WHERE registration = ?", .text(registration))
            try database.run("DELETE FROM ended_registrations WHERE registration = ?", .text(registration))
        }
        for tag in Set(forgotten.map(\.tag)) { try forgetDevice(tag) }
        return forgotten.count
    }

    /// Forget the state of a device, if it has no registration that is remembered.
    private func forgetDevice(_ tag: String) throws(MAMError) {
        let isUnused = "NOT EXISTS (SELECT 1 FROM registrants WHERE device_tag = ?1)"
        try database.run("DELETE FROM generations WHERE device_tag = ?1 AND \(isUnused)", .text(tag))
        try database.run("DELETE FROM renewals WHERE tag = ?1 AND \(isUnused)", .text(tag))
        try database.run("DELETE FROM regresses WHERE device_tag = ?1 AND \(isUnused)", .text(tag))
        try database.run("DELETE FROM wiped_copies WHERE device_tag = ?1 AND \(isUnused)", .text(tag))
    }

    /// Forget invitations that expired before a time.
    func forgetInvitations(expiredBefore time: Instant) throws(MAMError) {
        try database.run("DELETE FROM invitations WHERE expires <= ?", .integer(time.milliseconds))
    }
}

extension Service {
    /// The registrations that one transaction notes or forgets: apps wait for no more.
    private static let forgottenAtOnce = 500

    /// Note ends, and forget what ended 400 days ago. To be called from time to time; returns whether there is more of it. It does not
    /// count as a change: nobody has seen a later state of the database.
    public func forgetWhatEnded(now: Instant) -> Bool {
        let (store, most) = (files.store, Service.forgottenAtOnce)
        let time = now + .days(-Store.remembrance)
        do throws(MAMError) {
            let ends = try store.database.snapshot { () throws(MAMError) in try store.unnotedEnds(most: most) }
            let count = try store.database.transaction { () throws(MAMError) in
                try store.noteEnds(of: ends, now: now)
                try store.forgetInvitations(expiredBefore: time)
                return try store.forgetRegistrants(endedBefore: time, most: most)
            }
            return max(ends.count, count) == most
        } catch {
            report(error.message)
            return false
        }
    }
}
