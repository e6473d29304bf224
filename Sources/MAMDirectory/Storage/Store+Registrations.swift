import MAMSupport

/// A registration of an account in an app.
package struct Registration {
    package let row: Int64
    package let id: String
    package let wipeMark: Int64
    /// The device tag of the state that enrolled.
    package let deviceTag: String
    /// The time of the latest recorded check-in.
    let lastSync: Instant?

    /// A check-in without new facts is recorded at most once in this time.
    package static let recordInterval = TimeSpan.minutes(1)
}

extension Store {
    /// Forget an app that no policy or configuration names any more, and in which no account is enrolled: it was named by mistake.
    func forgetUnusedApp(_ id: String) throws(MAMError) {
        try database.run(
            """
            DELETE FROM apps WHERE id = ? AND row NOT IN (
                SELECT app_row FROM targets UNION SELECT app_row FROM configuration_targets UNION SELECT app_row FROM registrations)
            """, .text(id))
    }

    /// The row of an app, created where it does not exist.
    package func appRow(_ id: String) throws(MAMError) -> Int64 {
        try database.run("INSERT INTO apps (id) VALUES (?) ON CONFLICT DO NOTHING", .text(id))
        return try database.first("SELECT row FROM apps WHERE id = ?", .text(id)) { $0.integer(0) } ?? 0
    }

    /// A registration by its id, of a user in an app.
    package func registration(_ id: String, of user: User, in app: AppFacts) throws(MAMError) -> Registration? {
        try database.first(
            """
            SELECT r.row, r.wipe_mark, r.last_sync, r.device_tag FROM registrations r JOIN apps a ON a.row = r.app_row
            WHERE r.id = ? AND r.user_row = ? AND a.id = ?
            """, .text(id), .integer(user.row), .text(app.id)
        ) {
            Registration(
                row: $0.integer(0), id: id, wipeMark: $0.integer(1), deviceTag: $0.text(3) ?? "",
                lastSync: $0.isNull(2) ? nil : Instant(milliseconds: $0.integer(2)))
        }
    }

    /// Whether a user is enrolled in an app on a device.
    func isEnrolled(_ user: User, app: AppFacts, host: HostFacts) throws(MAMError) -> Bool {
        try database.first(
            """
            SELECT 1 FROM registrations r JOIN apps a ON a.row = r.app_row
            WHERE r.user_row = ? AND a.id = ? AND r.device_tag = ?
            """, .integer(user.row), .text(app.id), .text(host.deviceTag)
        ) { _ in true } ?? false
    }

    /// Insert a registration, in place of an earlier one of the same user, app and device.
    package func register(
        _ id: String, user: User, app: AppFacts, host: HostFacts, wipeMark: Int64, now: Instant
    ) throws(MAMError) {
        let appRow = try appRow(app.id)
        try database.run(
            "DELETE FROM registrations WHERE user_row = ? AND app_row = ? AND device_tag = ?", .integer(user.row),
            .integer(appRow), .text(host.deviceTag))
        try database.run(
            """
            INSERT INTO registrations (
                id, user_row, app_row, device_tag, app_version, platform, platform_version, model, library_version,
                created, generation, wipe_mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(id), .integer(user.row), .integer(appRow), .text(host.deviceTag),
            .optional(app.version), .text(host.platform), .text(host.platformVersion), .optional(host.model),
            .text(host.libraryVersion), .integer(now.milliseconds), .integer(host.stateCounter), .integer(wipeMark))
    }

    /// Record the facts and time of a check-in; within a minute of the last, only new facts. Returns the recorded time.
    package func recordCheckIn(
        _ registration: Registration, app: AppFacts, host: HostFacts, now: Instant
    ) throws(MAMError) -> Instant {
        let before = registration.lastSync
        let isRecent = before.map { $0 <= now && now < $0 + Registration.recordInterval } ?? false
        let changed = try database.run(
            """
            UPDATE registrations SET last_sync = ?1, app_version = ?2, platform = ?3, platform_version = ?4, model = ?5,
                library_version = ?6, generation = ?7
            WHERE row = ?8 AND id = ?10 AND NOT (?9 = 1 AND app_version IS ?2 AND platform IS ?3 AND platform_version IS ?4
                AND model IS ?5 AND library_version IS ?6 AND generation IS ?7)
            """, .integer(now.milliseconds), .optional(app.version), .text(host.platform), .text(host.platformVersion),
            .optional(host.model), .text(host.libraryVersion), .integer(host.stateCounter),
            .integer(registration.row), .bool(isRecent), .text(registration.id))
        return changed > 0 ? now : before ?? now
    }

    /// Delete a registration.
    package func remove(_ registration: Registration) throws(MAMError) {
        try database.run("DELETE FROM registrations WHERE row = ?", .integer(registration.row))
    }

    /// Delete registrations without a check-in for 90 days.
    func removeStaleRegistrations(now: Instant) throws(MAMError) {
        let latest = now + .days(-90)
        try database.run(
            "DELETE FROM registrations WHERE coalesce(last_sync, created) < ?", .integer(latest.milliseconds))
    }

    private static let deviceTables = [
        "registrations", "devices", "regresses", "ended_registrations", "blocked_devices",
    ]

    /// Every device tag that is known, in order.
    func deviceTags() throws(MAMError) -> [String] { try deviceTags(in: Store.deviceTables) }

    /// The device tags that apps have reported: not those that were only blocked, which may be misspelt.
    func seenDeviceTags() throws(MAMError) -> [String] { try deviceTags(in: Store.deviceTables.dropLast()) }

    private func deviceTags(in tables: [String]) throws(MAMError) -> [String] {
        let parts = tables.map { "SELECT device_tag FROM \($0)" }
        return try database.all("\(parts.joined(separator: " UNION ")) ORDER BY 1") { $0.text(0) ?? "" }
    }

    /// Whether a state with this device tag has ever enrolled or, with `isBlockEnough`, was blocked.
    func knowsDevice(_ tag: String, isBlockEnough: Bool = true) throws(MAMError) -> Bool {
        for table in isBlockEnough ? Store.deviceTables : Store.deviceTables.dropLast() {
            let found = try database.first("SELECT 1 FROM \(table) WHERE device_tag = ? LIMIT 1", .text(tag)) { _ in
                true
            }
            if found == true { return true }
        }
        return false
    }

    /// Whether a device is blocked from enrolling.
    package func isBlocked(deviceTag: String) throws(MAMError) -> Bool {
        try database.first("SELECT 1 FROM blocked_devices WHERE device_tag = ?", .text(deviceTag)) { _ in true }
            ?? false
    }
}
