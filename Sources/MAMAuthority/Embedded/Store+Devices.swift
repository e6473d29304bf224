import MAMSupport

/// How an enrollment ended.
struct EndedRegistration {
    /// The request of the administrator; nil where nobody here had asked.
    let wipe: Int64?
    /// As in the report: administrator, host, deregistration, pin, conditionalLaunch or offline.
    let reason: String
}

/// What is known of states by their device tags, beyond the enrollments: how far each has come, and which enrollments have
/// ended with a wipe. A state that was put back is recognised by that.
extension Store {
    /// The highest counter that was reported of an account on a device; 0 for none.
    func reached(_ accountKey: [UInt8], deviceTag: String) throws(MAMError) -> Int64 {
        try database.first(
            "SELECT counter FROM devices WHERE device_tag = ? AND account_key = ?", .text(deviceTag),
            .blob(accountKey)
        ) { $0.integer(0) } ?? 0
    }

    /// Note a higher one.
    func noteReached(_ accountKey: [UInt8], host: HostFacts, now: Instant) throws(MAMError) {
        try database.run(
            """
            INSERT INTO devices (device_tag, account_key, counter, noted) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (device_tag, account_key) DO UPDATE SET counter = ?3, noted = ?4 WHERE counter < ?3
            """, .text(host.deviceTag), .blob(accountKey), .integer(host.stateGeneration), .integer(now.milliseconds))
    }

    /// Note that a state reported less than it had come to; each such report once.
    func noteRegress(
        _ accountKey: [UInt8], app: AppFacts, host: HostFacts, reached: Int64, now: Instant
    ) throws(MAMError) {
        try database.run(
            """
            INSERT INTO regresses (device_tag, account_key, app, counter, reached, noted) SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE NOT EXISTS (SELECT 1 FROM regresses WHERE device_tag = ?1 AND account_key = ?2 AND app = ?3
                AND counter = ?4)
            """, .text(host.deviceTag), .blob(accountKey), .text(app.id), .integer(host.stateGeneration),
            .integer(reached),
            .integer(now.milliseconds))
    }

    /// Note that an enrollment has ended with a wipe; once.
    func noteEnd(
        _ ended: EndedRegistration, _ registration: String, accountKey: [UInt8], app: AppFacts, host: HostFacts,
        now: Instant
    ) throws(MAMError) {
        let added = try database.run(
            """
            INSERT OR IGNORE INTO ended_registrations (
                registration, account_key, app, device_tag, wipe, reason, counter, ended, is_answered)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)
            """, .text(registration), .blob(accountKey), .text(app.id), .text(host.deviceTag),
            ended.wipe.map(SQLValue.integer) ?? .null, .text(ended.reason), .integer(host.stateGeneration),
            .integer(now.milliseconds))
        if added > 0 { try signAdded(.ended) }
        if host.stateGeneration > (try reached(accountKey, deviceTag: host.deviceTag)) {
            try noteReached(accountKey, host: host, now: now)
        }
    }

    /// The wipe that has ended an enrollment: this one, or, where it is not kept, a later one of the state that it is a former
    /// copy of.
    func wipeThatEnded(
        _ registration: String, accountKey: [UInt8], isKept: Bool, app: AppFacts, host: HostFacts
    ) throws(MAMError) -> (wipe: Int64, reason: String)? {
        guard isWritable, !isKept else { return nil }
        let ended = try database.first(
            """
            SELECT wipe, reason, row FROM ended_registrations WHERE account_key = ?2 AND app = ?3
                AND (registration = ?1 OR device_tag = ?4 AND counter > ?5) ORDER BY row DESC LIMIT 1
            """, .text(registration), .blob(accountKey), .text(app.id), .text(host.deviceTag),
            .integer(host.stateGeneration)
        ) { ($0.integer(0), $0.text(1) ?? "host", $0.integer(2)) }
        guard let (wipe, reason, row) = ended else { return nil }
        guard try isSigned(.ended, row) else {
            throw AuthorityTrust.refused(
                database.path,
                "row \(row) of table ended_registrations is not as the authority signed it: \(SignedRows.advice)")
        }
        return (wipe, reason)
    }

    /// Whether the latest enrollment of a user in an app on a device has ended with a wipe, and the host has not asked for
    /// another since. What a state says to have been asked for before counts where it is not a former copy.
    func endedWithWipe(
        _ user: User, app: AppFacts, host: HostFacts, _ cause: EnrollmentCause
    ) throws(MAMError) -> Bool {
        guard isWritable else { return false }
        let latest = try database.first(
            """
            SELECT counter FROM ended_registrations WHERE account_key = ? AND app = ? AND device_tag = ?
                AND NOT is_answered ORDER BY counter DESC LIMIT 1
            """, .blob(user.accountKey), .text(app.id), .text(host.deviceTag)
        ) { $0.integer(0) }
        guard let latest else { return false }
        return cause != .again || host.stateGeneration < latest
    }

    /// The account is enrolled anew: what had ended its enrollments before is answered.
    func answerWipes(_ user: User, app: AppFacts, host: HostFacts) throws(MAMError) {
        try database.run(
            "UPDATE ended_registrations SET is_answered = 1 WHERE account_key = ? AND app = ? AND device_tag = ?",
            .blob(user.accountKey), .text(app.id), .text(host.deviceTag))
    }
}
