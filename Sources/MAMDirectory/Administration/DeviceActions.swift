import MAMSupport

/// `device.*`: devices by tag, with the state counters, rollbacks and wipes that were reported, and their blocks.
enum DeviceActions {
    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        return ["devices": .array(try call.store.deviceTags().map { (tag) throws(MAMError) in try device(tag, call) })]
    }

    static func block(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let tag = call.arguments.text("deviceTag") ?? ""
        let unknown = try call.unknownDevice()
        try call.database.run("INSERT INTO blocked_devices VALUES (?) ON CONFLICT DO NOTHING", .text(tag))
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
        // A user who was removed is named by the folded id.
        let account = "(SELECT account_id FROM users u WHERE u.account_key = t.account_key), account_key"
        func name(_ row: any SQLRow) -> JSON {
            .string(row.text(0) ?? String(decoding: row.blob(1), as: UTF8.self))
        }
        let accounts = try call.database.all(
            "SELECT \(account), counter, noted FROM devices t WHERE device_tag = ? ORDER BY row", .text(tag)
        ) { row -> JSON in
            [
                "accountId": name(row), "stateGeneration": .integer(row.integer(2)),
                "notedDateTime": row.jsonTime(3),
            ]
        }
        let regresses = try call.database.all(
            "SELECT \(account), app, counter, reached, noted FROM regresses t WHERE device_tag = ? ORDER BY row",
            .text(tag)
        ) { row -> JSON in
            [
                "accountId": name(row), "app": row.jsonText(2), "stateGeneration": .integer(row.integer(3)),
                "reached": .integer(row.integer(4)), "notedDateTime": row.jsonTime(5),
            ]
        }
        let wiped = try call.database.all(
            """
            SELECT \(account), app, registration, wipe, reason, counter, ended FROM ended_registrations t
            WHERE device_tag = ? ORDER BY row
            """, .text(tag)
        ) { row -> JSON in
            [
                "accountId": name(row), "app": row.jsonText(2), "registration": row.jsonText(3),
                "wipe": row.isNull(4) ? .null : .integer(row.integer(4)), "reason": row.jsonText(5),
                "stateGeneration": .integer(row.integer(6)), "endedDateTime": row.jsonTime(7),
            ]
        }
        return [
            "deviceTag": .string(tag), "blocked": .bool(try call.store.isBlocked(deviceTag: tag)),
            "accounts": .array(accounts), "regresses": .array(regresses), "wiped": .array(wiped),
        ]
    }
}
