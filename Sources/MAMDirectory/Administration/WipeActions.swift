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
        let user = try UserActions.find(call, proposes: false)
        let isForced = call.arguments.flag("force") == true
        var notes: [String?] = []
        do throws(MAMError) {
            notes.append(try call.unknownEnrolledApp(isNoted: isForced))
            _ = try call.unknownDevice(isNoted: isForced)
        } catch { throw forcing(error, call) }
        notes.append(try call.unseenDevice())
        let former = try call.store.noteOnFormerName(Identity(user.upn), of: user.accountKey)
        notes.append(try unreceived(user, call, isFormerKnown: former != nil))
        notes.append(former)
        let id = try call.store.requestWipe(
            of: user, app: call.arguments.text("app"), deviceTag: call.arguments.text("deviceTag"), now: call.now)
        let wipe = try call.database.first("\(query) WHERE w.id = ?", .integer(id), map: json(call)) ?? .null
        let note = JSON.optional((notes + [wipe["note"]?.string]).asNote)
        return .object((wipe.object ?? []).map { key, value in (key, key == "note" ? note : value) })
    }

    /// A wipe that is confined to a name that nobody knows would wipe nothing. Where apps may only read the authority, it cannot know all
    /// names, and the error names the way past it.
    private static func forcing(_ error: MAMError, _ call: AdministrationCall) -> MAMError {
        guard call.place.isReadByOthers, error.code == .notFound else { return error }
        return MAMError(
            error.code,
            "\(error.message); check the name, or request the wipe all the same with --force (\"force\":true)",
            error.detail)
    }

    /// A note where nothing that is known would receive a wipe of the user; nil where something may. Apps keep the account id with which
    /// they enrolled.
    private static func unreceived(
        _ user: User, _ call: AdministrationCall, isFormerKnown: Bool
    ) throws(MAMError) -> String? {
        let places = try call.database.all(
            """
            SELECT a.id, r.device_tag FROM registrations r JOIN apps a ON a.row = r.app_row
            WHERE r.user_row = ? ORDER BY r.row
            """, .integer(user.row)
        ) { (app: $0.text(0) ?? "", tag: $0.text(1) ?? "") }
        guard places.isEmpty else { return elsewhere(user, places, call) }
        let nothing =
            call.place.isReadByOthers
            ? nil : "no app is registered for \(user.upn) (\(user.accountId)), so that nothing receives this wipe"
        guard !isFormerKnown else { return nothing }
        // Users who were removed before the authority kept former UPNs.
        let former = try call.store.formerIds(of: user)
        let again = "to reach them, remove this user, and add one with that account id"
        if !former.isEmpty {
            var listed = BoundedNames()
            for id in former { listed.add(ForeignText.quoted(id)) }
            let more = former.count > listed.names.count ? " and others" : ""
            return
                "apps that enrolled \(user.upn) under a former account id (\(listed.names.joined(separator: ", "))\(more)) "
                + "do not receive this wipe; \(again)"
        }
        // Nobody knows which of the removed users it was, and the ids of the others are not to be tried.
        let returned =
            try call.store.mayHaveReturned(user)
            ? "if \(user.upn) was removed and added again, apps that enrolled before do not receive this wipe: they have the former "
                + "account id, which mamctl status shows there; \(again)" : nil
        return [nothing, returned].asNote
    }

    /// A note where a wipe is confined to an app or a device in which the user is not registered; nil where it is not. Apps that may only
    /// read the authority do not register.
    private static func elsewhere(
        _ user: User, _ places: [(app: String, tag: String)], _ call: AdministrationCall
    ) -> String? {
        let (app, tag) = (call.arguments.text("app"), call.arguments.text("deviceTag"))
        let isReceived = places.contains { (app ?? $0.app) == $0.app && (tag ?? $0.tag) == $0.tag }
        guard !isReceived, !call.place.isReadByOthers else { return nil }
        var named = BoundedNames()
        for place in places {
            let name = ForeignText.quoted(place.app) + (tag == nil ? "" : " on \(ForeignText.quoted(place.tag))")
            if !named.names.contains(name) { named.add(name) }
        }
        return
            "\(user.upn) is not registered there, so that nothing receives this wipe, and an enrollment that follows does not either; "
            + "registered: \(named.names.joined(separator: ", "))"
    }

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        ["wipes": .array(try call.database.all("\(query) ORDER BY w.id", map: json(call)))]
    }

    static func cancel(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let id = SQLValue.integer(call.arguments.number("wipe") ?? 0)
        guard let last = try call.database.first("\(query) WHERE w.id = ?", id, map: json(call)) else {
            throw try call.notFound("wipe", "wipe")
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
        + " pending and done do not count them; run as the person, mamctl checkin --all-apps names each account that it wipes, and"
        + " mamctl events of each app has wipeDidComplete"
}
