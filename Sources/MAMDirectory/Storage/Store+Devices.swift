import MAMPolicy
import MAMSupport

/// State counters by device tag and account, and enrollments that ended with a wipe. An older copy of a state is detected by them.
extension Store {
    /// The highest counter that was reported for an account on a device; 0 for none.
    package func highestCounter(of accountKey: [UInt8], deviceTag: String) throws(MAMError) -> Int64 {
        try database.first(
            "SELECT counter FROM devices WHERE device_tag = ? AND account_key = ?", .text(deviceTag),
            .blob(accountKey)
        ) { $0.integer(0) } ?? 0
    }

    /// Record a counter, where it is higher than the recorded one.
    package func recordCounter(_ accountKey: [UInt8], host: HostFacts, now: Instant) throws(MAMError) {
        try database.run(
            """
            INSERT INTO devices (device_tag, account_key, counter, noted) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (device_tag, account_key) DO UPDATE SET counter = ?3, noted = ?4
                WHERE devices.counter < ?3
            """, .text(host.deviceTag), .blob(accountKey), .integer(host.stateCounter), .integer(now.milliseconds))
    }

    /// Record a rollback; each pair of app and counter once.
    package func recordRollback(
        _ accountKey: [UInt8], app: AppFacts, host: HostFacts, highest: Int64, now: Instant
    ) throws(MAMError) {
        try database.run(
            """
            INSERT INTO regresses (device_tag, account_key, app, counter, reached, noted) SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE NOT EXISTS (SELECT 1 FROM regresses WHERE device_tag = ?1 AND account_key = ?2 AND app = ?3
                AND counter = ?4)
            """, .text(host.deviceTag), .blob(accountKey), .text(app.id), .integer(host.stateCounter),
            .integer(highest),
            .integer(now.milliseconds))
    }

    /// Record that an enrollment ended with a wipe; once.
    package func recordEnd(
        _ wipe: RegistrationWipe, _ registration: String, accountKey: [UInt8], app: AppFacts, host: HostFacts,
        now: Instant
    ) throws(MAMError) {
        let row = try database.insert(
            """
            INSERT INTO ended_registrations (
                registration, account_key, app, device_tag, wipe, reason, counter, ended, is_answered)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING
            """,
            [
                .text(registration), .blob(accountKey), .text(app.id), .text(host.deviceTag),
                wipe.id.map(SQLValue.integer) ?? .null, .text(wipe.reason.rawValue), .integer(host.stateCounter),
                .integer(now.milliseconds),
            ])
        if let row { try signAdded(.ended, row) }
        if host.stateCounter > (try highestCounter(of: accountKey, deviceTag: host.deviceTag)) {
            try recordCounter(accountKey, host: host, now: now)
        }
    }

    /// The wipe that ended an enrollment. Where the registration is gone, also a later wipe of the state that this is an older copy
    /// of.
    func endingWipe(
        _ registration: String, accountKey: [UInt8], isKept: Bool, app: AppFacts, host: HostFacts
    ) throws(MAMError) -> RegistrationWipe? {
        guard isWritable, !isKept else { return nil }
        let ended = try database.first(
            """
            SELECT wipe, reason, row FROM ended_registrations WHERE account_key = ?2 AND app = ?3
                AND (registration = ?1 OR device_tag = ?4 AND counter > ?5) ORDER BY row DESC LIMIT 1
            """, .text(registration), .blob(accountKey), .text(app.id), .text(host.deviceTag),
            .integer(host.stateCounter)
        ) { row in
            let reason = row.text(1).flatMap(WipeReason.init(rawValue:)) ?? .host
            return (RegistrationWipe(id: row.isNull(0) ? nil : row.integer(0), reason: reason), row.integer(2))
        }
        guard let (wipe, row) = ended else { return nil }
        guard try isSigned(.ended, row) else {
            throw AuthorityTrust.refused(
                database.path,
                "row \(row) of table ended_registrations is not as the authority signed it: \(SignedRows.advice)")
        }
        return wipe
    }

    /// Whether the latest enrollment of a user in an app on a device ended with a wipe and the host has not asked for another
    /// since. A repeated request counts as the host's, unless the state is an older copy.
    func hasEndedWithWipe(
        _ user: User, app: AppFacts, host: HostFacts, _ cause: EnrollmentCause
    ) throws(MAMError) -> Bool {
        guard isWritable else { return false }
        let latest = try database.first(
            """
            SELECT counter FROM ended_registrations WHERE account_key = ? AND app = ? AND device_tag = ?
                AND is_answered = 0 ORDER BY counter DESC LIMIT 1
            """, .blob(user.accountKey), .text(app.id), .text(host.deviceTag)
        ) { $0.integer(0) }
        guard let latest else { return false }
        return cause != .retry || host.stateCounter < latest
    }

    /// Mark enrollments that have ended, in the column `is_answered`, as followed by another: the account is enrolled again.
    func markFollowedByEnrollment(_ user: User, app: AppFacts, host: HostFacts) throws(MAMError) {
        try database.run(
            "UPDATE ended_registrations SET is_answered = 1 WHERE account_key = ? AND app = ? AND device_tag = ?",
            .blob(user.accountKey), .text(app.id), .text(host.deviceTag))
    }
}
