import MAMSupport

/// `wipe.*`.
enum WipeActions {
    private static let query = """
        SELECT w.id, w.account_id, w.upn, w.app, w.device_tag, w.requested,
            (SELECT count(*) FROM registrations r JOIN users u ON u.row = r.user_row JOIN apps a ON a.row = r.app_row
                WHERE u.account_key = w.account_key AND (w.app IS NULL OR w.app = a.id)
                    AND (w.device_tag IS NULL OR w.device_tag = r.device_tag) AND r.wipe_mark < w.id),
            (SELECT count(*) FROM wipes_done d WHERE d.wipe = w.id)
        FROM wipes w
        """

    static func request(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let user = try UserActions.find(call)
        let unknown = try call.unknownTarget()
        let id = try call.store.newWipeId()
        try call.database.run(
            "INSERT INTO wipes (id, account_id, account_key, upn, app, device_tag, requested) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .integer(id), .text(user.accountId), .blob(user.accountKey), .text(user.upn),
            .optional(call.arguments.text("app")),
            .optional(call.arguments.text("deviceTag")), .integer(call.now.milliseconds))
        // Apps that have to wipe must not receive newer keys.
        try call.store.rotateExchangeKey(accountKey: user.accountKey)
        let wipe = try call.database.first("\(query) WHERE w.id = ?", .integer(id), map: json(call)) ?? .null
        guard let unknown else { return wipe }
        return .object(
            (wipe.object ?? []).map { key, value in
                guard key == "note" else { return (key, value) }
                return (key, .string([unknown, value.string].compactMap(\.self).joined(separator: "; ")))
            })
    }

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        ["wipes": .array(try call.database.all("\(query) ORDER BY w.id", map: json(call)))]
    }

    static func cancel(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let id = SQLValue.integer(call.arguments.number("wipe") ?? 0)
        guard let last = try call.database.first("\(query) WHERE w.id = ?", id, map: json(call)) else {
            throw call.notFound("wipe", "wipe")
        }
        try call.database.run("DELETE FROM wipes WHERE id = ?", id)
        return last
    }

    private static func json(_ call: AdministrationCall) -> (any SQLRow) throws(MAMError) -> JSON {
        let note: JSON = call.place.isReadByOthers ? .string(unreported) : .null
        return { (row) throws(MAMError) in
            [
                "id": .integer(row.integer(0)), "accountId": row.jsonText(1), "upn": row.jsonText(2),
                "app": row.jsonText(3), "deviceTag": row.jsonText(4), "requestedDateTime": row.jsonTime(5),
                "pending": .integer(row.integer(6)), "done": .integer(row.integer(7)), "note": note,
            ]
        }
    }

    private static let unreported =
        "other users can read this authority: their apps wipe at their next check-in and cannot report it here, so that"
        + " pending and done do not count them; mamctl status of each app shows whether it is done"
}

extension AdministrationCall {
    /// Fails where no app or device has the name that a wipe request gives: nothing would ever carry it out. Where apps may only
    /// read the authority, it cannot know them all, and this returns a note instead.
    fileprivate func unknownTarget() throws(MAMError) -> String? {
        var unknown: [String] = []
        if let app = arguments.text("app") {
            let known = try database.all("SELECT id FROM apps ORDER BY row") { $0.text(0) ?? "" }
            if !known.contains(where: { $0.utf8.elementsEqual(app.utf8) }) {
                let nearest = NearestName.find(Array(app.utf8), among: known.map { Array($0.utf8) })
                    .map { ForeignText.quoted(String(decoding: $0, as: UTF8.self)) }
                let question = nearest.map { "; did you mean \($0)?" }
                unknown.append(
                    try unknownTarget(
                        "app", "app \(ForeignText.quoted(app))",
                        "no policy or configuration names it, and no account enrolled in it\(question ?? "")"))
            }
        }
        if let tag = arguments.text("deviceTag"), try !store.knowsDevice(tag) {
            unknown.append(
                try unknownTarget(
                    "deviceTag", "device \(ForeignText.quoted(tag))",
                    "no account enrolled there; the list of devices has them")
            )
        }
        return unknown.isEmpty ? nil : unknown.joined(separator: "; ")
    }

    private func unknownTarget(_ key: String, _ what: String, _ why: String) throws(MAMError) -> String {
        let message = "there is no \(what) here: \(why)"
        guard place.isReadByOthers else {
            throw MAMError(
                .notFound, "\(place.path): \(message)", [("argument", .string(key)), ("path", .string(place.path))])
        }
        return "\(message); check the name"
    }
}
