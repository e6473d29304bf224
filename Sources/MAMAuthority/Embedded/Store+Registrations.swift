import MAMSupport

/// An enrollment that the authority keeps.
struct Registration {
    let row: Int64
    let wipeMark: Int64
    /// Of the state that it was made for.
    let deviceTag: String
    /// When it last checked in.
    let lastSync: Instant?

    /// How long a check-in that tells nothing new is not noted again.
    static let noteLasts = TimeSpan.minutes(1)
}

extension Store {
    /// The row of an app, which is known from now on.
    func appRow(_ id: String) throws(MAMError) -> Int64 {
        try database.run("INSERT OR IGNORE INTO apps (id) VALUES (?)", .text(id))
        return try database.first("SELECT row FROM apps WHERE id = ?", .text(id)) { $0.integer(0) } ?? 0
    }

    /// The enrollment of a user in an app under its id.
    func registration(_ id: String, of user: User, in app: AppFacts) throws(MAMError) -> Registration? {
        try database.first(
            """
            SELECT r.row, r.wipe_mark, r.last_sync, r.device_tag FROM registrations r JOIN apps a ON a.row = r.app_row
            WHERE r.id = ? AND r.user_row = ? AND a.id = ?
            """, .text(id), .integer(user.row), .text(app.id)
        ) {
            Registration(
                row: $0.integer(0), wipeMark: $0.integer(1), deviceTag: $0.text(3) ?? "",
                lastSync: $0.isNull(2) ? nil : Instant(milliseconds: $0.integer(2)))
        }
    }

    /// Keep a new enrollment, in place of an earlier one of the same user, app and device.
    func register(
        _ id: String, user: User, app: AppFacts, host: HostFacts, wipeMark: Int64, now: Instant
    ) throws(MAMError) {
        try database.run(
            """
            INSERT OR REPLACE INTO registrations (
                id, user_row, app_row, device_tag, app_version, platform, platform_version, model, library_version,
                created, generation, wipe_mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(id), .integer(user.row), .integer(try appRow(app.id)), .text(host.deviceTag),
            .optional(app.version), .text(host.platform), .text(host.platformVersion), .optional(host.model),
            .text(host.libraryVersion), .integer(now.milliseconds), .integer(host.stateGeneration), .integer(wipeMark))
    }

    /// Note what a check-in tells, and when; within a minute only what is new. The result is when one was noted last.
    func noteCheckIn(
        _ registration: Registration, app: AppFacts, host: HostFacts, now: Instant
    ) throws(MAMError) -> Instant {
        let before = registration.lastSync
        let isRecent = before.map { $0 <= now && now < $0 + Registration.noteLasts } ?? false
        let changed = try database.run(
            """
            UPDATE registrations SET last_sync = ?1, app_version = ?2, platform = ?3, platform_version = ?4, model = ?5,
                library_version = ?6, generation = ?7
            WHERE row = ?8 AND NOT (?9 AND app_version IS ?2 AND platform IS ?3 AND platform_version IS ?4
                AND model IS ?5 AND library_version IS ?6 AND generation IS ?7)
            """, .integer(now.milliseconds), .optional(app.version), .text(host.platform), .text(host.platformVersion),
            .optional(host.model), .text(host.libraryVersion), .integer(host.stateGeneration),
            .integer(registration.row), .bool(isRecent))
        return changed > 0 ? now : before ?? now
    }

    /// Forget an enrollment.
    func remove(_ registration: Registration) throws(MAMError) {
        try database.run("DELETE FROM registrations WHERE row = ?", .integer(registration.row))
    }

    /// Forget every enrollment that was silent for 90 days.
    func removeSilent(now: Instant) throws(MAMError) {
        let latest = now + .days(-90)
        try database.run(
            "DELETE FROM registrations WHERE coalesce(last_sync, created) < ?", .integer(latest.milliseconds))
    }

    /// Whether a computer may not enroll.
    func isBlocked(deviceTag: String) throws(MAMError) -> Bool {
        try database.first("SELECT 1 FROM blocked_devices WHERE device_tag = ?", .text(deviceTag)) { _ in true }
            ?? false
    }
}
