import MAMSupport

/// `device.*`: devices by tag, with the state counters, rollbacks and wipes that were reported, and their blocks.
enum DeviceActions {
    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        return ["devices": .array(try call.store.deviceTags().map { (tag) throws(MAMError) in try device(tag, call) })]
    }

    static func block(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let tag = call.arguments.text("deviceTag") ?? ""
        let unknown = try call.unknownDevice()
        try call.database.run("INSERT OR IGNORE INTO blocked_devices VALUES (?)", .text(tag))
        return ["deviceTag": .string(tag), "blocked": true, "note": .optional(unknown)]
    }

    static func unblock(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let tag = call.arguments.text("deviceTag") ?? ""
        let wasBlocked = try call.store.isBlocked(deviceTag: tag)
        let unknown = try call.unknownDevice()
        try call.database.run("DELETE FROM blocked_devices WHERE device_tag = ?", .text(tag))
        return [
            "deviceTag": .string(tag), "blocked": false,
            "note": wasBlocked ? .null : .string(unknown ?? "it was not blocked"),
        ]
    }

    private static func device(_ tag: String, _ call: AdministrationCall) throws(MAMError) -> JSON {
        let account =
            "coalesce((SELECT account_id FROM users u WHERE u.account_key = t.account_key), "
            + "CAST(t.account_key AS TEXT))"
        let accounts = try call.database.all(
            "SELECT \(account), counter, noted FROM devices t WHERE device_tag = ? ORDER BY row", .text(tag)
        ) { row -> JSON in
            [
                "accountId": row.jsonText(0), "stateGeneration": .integer(row.integer(1)),
                "notedDateTime": row.jsonTime(2),
            ]
        }
        let regresses = try call.database.all(
            "SELECT \(account), app, counter, reached, noted FROM regresses t WHERE device_tag = ? ORDER BY row",
            .text(tag)
        ) { row -> JSON in
            [
                "accountId": row.jsonText(0), "app": row.jsonText(1), "stateGeneration": .integer(row.integer(2)),
                "reached": .integer(row.integer(3)), "notedDateTime": row.jsonTime(4),
            ]
        }
        let wiped = try call.database.all(
            """
            SELECT \(account), app, registration, wipe, reason, counter, ended FROM ended_registrations t
            WHERE device_tag = ? ORDER BY row
            """, .text(tag)
        ) { row -> JSON in
            [
                "accountId": row.jsonText(0), "app": row.jsonText(1), "registration": row.jsonText(2),
                "wipe": row.isNull(3) ? .null : .integer(row.integer(3)), "reason": row.jsonText(4),
                "stateGeneration": .integer(row.integer(5)), "endedDateTime": row.jsonTime(6),
            ]
        }
        return [
            "deviceTag": .string(tag), "blocked": .bool(try call.store.isBlocked(deviceTag: tag)),
            "accounts": .array(accounts), "regresses": .array(regresses), "wiped": .array(wiped),
        ]
    }
}
