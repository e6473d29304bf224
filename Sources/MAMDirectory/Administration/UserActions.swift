import MAMSupport

/// `user.*`.
enum UserActions {
    static func add(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let arguments = call.arguments
        let upn = try arguments.name("upn")
        let made = try Identity(Store.newId())
        let id = try arguments.optionalName("accountId") ?? made
        let ownTenant = try call.store.tenantId()
        try checkFree(id, "accountId", call)
        try checkFree(upn, "upn", call)
        let hash = try arguments.text("accessTokenFile").map(AccessTokenFile.hash)
        let notes = [
            try UserDomains(call.store).note(adding: upn), try call.store.noteOnFormerName(upn, of: id.folded),
        ]
        let row = try call.database.insert(
            """
            INSERT INTO users (account_id, account_key, upn, upn_key, tenant, display_name, enabled, licensed, token_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(id.text), .blob(id.folded), .text(upn.text), .blob(upn.folded),
            .text(arguments.text("tenantId") ?? ownTenant), .optional(arguments.text("displayName")),
            .bool(arguments.flag("enabled") ?? true), .bool(arguments.flag("licensed") ?? true),
            hash.map(SQLValue.blob) ?? .null)
        try GroupActions.join(row, (arguments["groups"]?.array ?? []).compactMap(\.string), call)
        try call.store.rotateExchangeKey(accountKey: id.folded)
        let unreached = try PolicyReach(call.store, of: row).unreached(after: row - 1, call.store)
        return try json(row, call).noting(notes + [unreached.map { _ in unreachedNote }])
    }

    static func set(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let (arguments, database) = (call.arguments, call.database)
        let user = try find(call)
        var notes: [String?] = []
        if let upn = try arguments.optionalName("upn") {
            try checkFree(upn, "upn", call, except: user.row)
            notes = [
                try UserDomains(call.store).note(adding: upn),
                try call.store.noteOnFormerName(upn, of: user.accountKey),
            ]
            if upn.folded != Identity.fold(user.upn) {
                try call.store.recordFormerName(user.upn, of: user.accountId)
            }
            try database.run(
                "UPDATE users SET upn = ?, upn_key = ? WHERE row = ?", .text(upn.text), .blob(upn.folded),
                .integer(user.row))
        }
        if let name = arguments.text("displayName") {
            try database.run("UPDATE users SET display_name = ? WHERE row = ?", .text(name), .integer(user.row))
        }
        for key in ["enabled", "licensed", "migrating"] {
            guard let value = arguments.flag(key) else { continue }
            try database.run("UPDATE users SET \(key) = ? WHERE row = ?", .bool(value), .integer(user.row))
        }
        if user.isEnabled, arguments.flag("enabled") == false { notes.append(disabledNote) }
        if arguments.has("accessTokenFile") {
            let hash = try arguments.text("accessTokenFile").map(AccessTokenFile.hash)
            try database.run(
                "UPDATE users SET token_hash = ? WHERE row = ?", hash.map(SQLValue.blob) ?? .null, .integer(user.row))
        }
        return try json(user.row, call).noting(notes)
    }

    private static let unreachedNote =
        "no policy reaches the user in any app: what their apps save is unprotected until a policy does, by a group for example"

    static let disabledNote =
        "apps act on it at their next check-in as their policies say (appActionIfUnableToAuthenticateUser); where a policy does not say, "
        + "the data stays open: request a wipe to remove it"

    static func show(_ call: AdministrationCall) throws(MAMError) -> JSON { try json(find(call).row, call) }

    /// Removes memberships and enrollments with the user; refused where there are enrollments, unless forced. Wipe requests remain, and
    /// are carried out.
    static func remove(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let user = try find(call)
        let last = try json(user.row, call)
        let count =
            try call.database.first(
                "SELECT count(*) FROM registrations WHERE user_row = ?", .integer(user.row), map: { $0.integer(0) })
            ?? 0
        // Where apps may only read the authority, nothing but the wipe says that enrollments have ended.
        let wiped = try call.store.timeOfWipe(of: user)
        let mayBeEnrolled = count > 0 || call.place.isReadByOthers && wiped == nil
        if mayBeEnrolled, call.arguments.flag("force") != true { throw enrolled(user, count, call) }
        try call.database.run("DELETE FROM users WHERE row = ?", .integer(user.row))
        try call.store.recordFormerName(user.upn, of: user.accountId)
        let note: JSON =
            count > 0 || call.place.isReadByOthers ? .string(kept(user, count, wiped: wiped)) : .null
        return .object((last.object ?? []) + [("note", note)])
    }

    private static func enrolled(_ user: User, _ count: Int64, _ call: AdministrationCall) -> MAMError {
        let has =
            count == 0
            ? "may have enrollments, which apps that only read this authority do not report"
            : "has \(count == 1 ? "an enrollment" : "\(count) enrollments")"
        let seeing =
            call.place.isReadByOthers
            ? "see it done (mamctl account \(user.upn) --former says so to the person)"
            : "see it done (wipe list says where)"
        return MAMError(
            .denied,
            "\(call.place.path): \(user.upn) \(has), and what they protect "
                + "stays readable: request the wipe, \(seeing), then remove the user; force removes the user now",
            [("argument", "user"), ("registrations", .integer(count)), ("path", .string(call.place.path))])
    }

    private static func kept(_ user: User, _ count: Int64, wiped: Instant?) -> String {
        let what =
            count > 0
            ? "\(count) enrollments of the user may have data that is" : "apps of the user may have data that is"
        let again =
            "add the user again with the account id \(user.accountId), request the wipe, see it acknowledged, and only then remove the user"
        if let wiped {
            return
                "\(what) not wiped yet; the wipe that was requested \(wiped.rfc3339) reaches those that enrolled before, at their "
                + "next check-in, and no others; for these, \(again)"
        }
        return "\(what) not wiped, and it stays readable; to have it wiped, \(again)"
    }

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let rows = try call.database.all("SELECT row FROM users ORDER BY row") { $0.integer(0) }
        return ["users": .array(try rows.map { (row) throws(MAMError) in try json(row, call) })]
    }

    /// The user of the argument "user". Where a name is not known, the error asks for one that resembles it, but not with
    /// `proposes: false`, for a wipe, which of somebody else cannot be taken back.
    static func find(_ call: AdministrationCall, proposes: Bool = true) throws(MAMError) -> User {
        let name = try call.arguments.name("user")
        if let user = try call.store.user(named: name) { return user }
        if let id = try call.store.formerId(named: name) { throw try former(id, call) }
        let namesakes = try namesakes(of: name, call)
        throw try call.notFound("user", "user", meaning: namesakes.count == 1 ? namesakes.first : nil) {
            () throws(MAMError) in
            guard proposes else { return [] }
            return try call.names("SELECT upn FROM users UNION SELECT account_id FROM users ORDER BY 1")
        }
    }

    /// The error for the former name of an account, whose user has another one now, or was removed.
    private static func former(_ id: String, _ call: AdministrationCall) throws(MAMError) -> MAMError {
        if let user = try call.store.user(named: Identity(id)) {
            return try call.notFound("user", "user", "it is a former name", meaning: user.upn)
        }
        return try call.notFound(
            "user", "user",
            "the user was removed, and a wipe that was requested before still counts; to request one, add a user with the account id "
                + "\(ForeignText.quoted(id)), and remove that user once the wipe is acknowledged")
    }

    /// Users with this display name, or with this UPN before the "@".
    private static func namesakes(of name: Identity, _ call: AdministrationCall) throws(MAMError) -> [String] {
        try call.database.all("SELECT upn, display_name FROM users ORDER BY row") {
            (upn: $0.text(0) ?? "", title: $0.text(1) ?? "")
        }
        .filter { user in
            let folded = Identity.fold(user.upn)
            return Identity.fold(user.title) == name.folded
                || folded.starts(with: name.folded) && folded.dropFirst(name.folded.count).first == UInt8(ascii: "@")
        }
        .map(\.upn)
    }

    /// Ids and UPNs share one namespace, since a `user` argument takes either.
    private static func checkFree(
        _ name: Identity, _ key: String, _ call: AdministrationCall, except row: Int64? = nil
    ) throws(MAMError) {
        guard let user = try call.store.user(named: name), user.row != row else { return }
        throw call.already(key, "a user with this id or UPN is there already: \(user.upn) (\(user.accountId))")
    }

    private static func json(_ row: Int64, _ call: AdministrationCall) throws(MAMError) -> JSON {
        let groups = try call.database.all(
            "SELECT g.name FROM members m JOIN user_groups g ON g.row = m.group_row WHERE m.user_row = ? ORDER BY g.row",
            .integer(row)
        ) { $0.jsonText(0) }
        return try call.database.first(
            """
            SELECT account_id, upn, tenant, display_name, enabled, licensed, migrating, token_hash IS NOT NULL
            FROM users WHERE row = ?
            """, .integer(row)
        ) { user in
            [
                "accountId": user.jsonText(0), "upn": user.jsonText(1), "tenantId": user.jsonText(2),
                "displayName": user.jsonText(3), "enabled": user.jsonBool(4), "licensed": user.jsonBool(5),
                "migrating": user.jsonBool(6), "requiresToken": user.jsonBool(7), "groups": .array(groups),
            ]
        } ?? .null
    }
}
