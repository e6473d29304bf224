import MAMSupport

/// `registration.*` and `app.*`.
enum RegistrationActions {
    private static let query = """
        SELECT r.id, u.account_id, u.upn, a.id, r.app_version, r.device_tag, r.platform, r.platform_version,
            r.library_version, r.created, r.last_sync, r.generation
        FROM registrations r JOIN users u ON u.row = r.user_row JOIN apps a ON a.row = r.app_row
        """

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let user = call.arguments.has("user") ? try UserActions.find(call).row : nil
        let found = try call.database.all(
            "\(query) WHERE (?1 < 0 OR u.row = ?1) AND (?2 = '' OR a.id = ?2) ORDER BY r.row",
            .integer(user ?? -1), .text(call.arguments.text("app") ?? ""), map: json)
        var notes: [String?] = []
        if found.isEmpty {
            notes.append(try call.unknownEnrolledApp(isNoted: call.place.isReadByOthers))
            if call.place.isReadByOthers { notes.append(unregistered) }
        }
        return ["registrations": .array(found), "note": .optional(notes.asNote)]
    }

    private static let unregistered =
        "other users can read this authority: their apps do not register here"

    static func remove(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let id = call.arguments.text("registration") ?? ""
        guard let last = try call.database.first("\(query) WHERE r.id = ?", .text(id), map: json) else {
            throw try call.notFound("registration", "registration")
        }
        try call.database.run("DELETE FROM registrations WHERE id = ?", .text(id))
        if let account = last["accountId"]?.string {
            try call.store.rotateExchangeKey(accountKey: Identity.fold(account))
        }
        return last
    }

    static func listApps(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let apps = try call.database.all(
            """
            SELECT a.id, (SELECT count(*) FROM policies p WHERE p.all_apps = 1 OR EXISTS (
                    SELECT 1 FROM targets t WHERE t.app_row = a.row AND t.policy_row = p.row)),
                (SELECT count(*) FROM configurations c WHERE c.all_apps = 1 OR EXISTS (
                    SELECT 1 FROM configuration_targets t WHERE t.app_row = a.row AND t.configuration_row = c.row)),
                (SELECT count(*) FROM registrations r WHERE r.app_row = a.row)
            FROM apps a ORDER BY a.row
            """
        ) { app -> JSON in
            [
                "id": app.jsonText(0), "policies": .integer(app.integer(1)), "configurations": .integer(app.integer(2)),
                "registrations": .integer(app.integer(3)),
            ]
        }
        return ["apps": .array(apps)]
    }

    private static func json(_ row: any SQLRow) throws(MAMError) -> JSON {
        [
            "id": row.jsonText(0), "accountId": row.jsonText(1), "upn": row.jsonText(2), "app": row.jsonText(3),
            "appVersion": row.jsonText(4), "deviceTag": row.jsonText(5), "platform": row.jsonText(6),
            "platformVersion": row.jsonText(7), "sdkVersion": row.jsonText(8), "createdDateTime": row.jsonTime(9),
            "lastSyncDateTime": row.jsonTime(10), "stateGeneration": .integer(row.integer(11)),
        ]
    }
}
