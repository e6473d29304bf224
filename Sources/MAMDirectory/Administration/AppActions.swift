import MAMSupport

/// `app.*`.
enum AppActions {
    private static let query = """
        SELECT a.id, (SELECT count(*) FROM policies p WHERE p.all_apps = 1 OR EXISTS (
                SELECT 1 FROM targets t WHERE t.app_row = a.row AND t.policy_row = p.row)),
            (SELECT count(*) FROM configurations c WHERE c.all_apps = 1 OR EXISTS (
                SELECT 1 FROM configuration_targets t WHERE t.app_row = a.row AND t.configuration_row = c.row)),
            (SELECT count(*) FROM registrations r WHERE r.app_row = a.row), (
                SELECT count(*) FROM targets t WHERE t.app_row = a.row) + (
                SELECT count(*) FROM configuration_targets t WHERE t.app_row = a.row)
        FROM apps a
        """

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        ["apps": .array(try call.database.all("\(query) ORDER BY a.row", map: json))]
    }

    /// An app that a policy or a configuration names, or in which an account is enrolled, would be known again at once.
    static func remove(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let id = call.arguments.text("app") ?? ""
        let found = try call.database.first("\(query) WHERE a.id = ?", .text(id)) {
            (row) throws(MAMError) in (json: try json(row), registrations: row.integer(3), targets: row.integer(4))
        }
        guard let found else {
            throw try call.notFound("app", "app") { () throws(MAMError) in
                try call.database.all("SELECT id FROM apps ORDER BY row") { $0.text(0) ?? "" }
            }
        }
        guard found.targets == 0, found.registrations == 0 else {
            let uses = [
                found.targets > 0 ? "a policy or an app configuration targets it" : nil,
                found.registrations > 0 ? "an account is enrolled in it" : nil,
            ]
            throw MAMError(
                .already,
                "\(call.place.path): the app \(ForeignText.quoted(id)) is in use: "
                    + uses.compactMap(\.self).joined(separator: ", "),
                [("argument", "app"), ("path", .string(call.place.path))])
        }
        try call.database.run("DELETE FROM apps WHERE id = ?", .text(id))
        return found.json
    }

    private static func json(_ row: any SQLRow) throws(MAMError) -> JSON {
        [
            "id": row.jsonText(0), "policies": .integer(row.integer(1)), "configurations": .integer(row.integer(2)),
            "registrations": .integer(row.integer(3)),
        ]
    }
}
