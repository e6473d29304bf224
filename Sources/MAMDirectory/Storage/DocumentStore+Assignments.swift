import MAMPolicy
import MAMSupport

/// Assignments and targets of documents.
extension DocumentStore {
    /// Add the assignments and targets that a document itself states.
    func add(_ reach: DocumentReach, to row: Int64) throws(MAMError) {
        for group in reach.groups { try assign(row, group, isExclusion: false) }
        for group in reach.excludedGroups { try assign(row, group, isExclusion: true) }
        for app in reach.apps { try target(row, app) }
        if reach.allUsers { try setAllUsers(row, true) }
        if reach.allApps { try setAllApps(row, true) }
    }

    /// Assign a document to a group by the group's id, or exclude the group.
    func assign(_ row: Int64, _ group: Identity, isExclusion: Bool) throws(MAMError) {
        try database.run(
            """
            INSERT INTO \(kind.assignments) (\(kind.row), is_exclusion, group_id, group_key)
            VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, .integer(row), .bool(isExclusion), .text(group.text), .blob(group.folded))
    }

    /// Remove an assignment or exclusion; returns whether it existed.
    func unassign(_ row: Int64, _ group: Identity, isExclusion: Bool) throws(MAMError) -> Bool {
        try database.run(
            "DELETE FROM \(kind.assignments) WHERE \(kind.row) = ? AND is_exclusion = ? AND group_key = ?",
            .integer(row), .bool(isExclusion), .blob(group.folded)) > 0
    }

    /// Whether a document has an assignment or exclusion of a group.
    func isAssigned(_ row: Int64, _ group: Identity, isExclusion: Bool) throws(MAMError) -> Bool {
        try database.first(
            "SELECT 1 FROM \(kind.assignments) WHERE \(kind.row) = ? AND is_exclusion = ? AND group_key = ?",
            .integer(row), .bool(isExclusion), .blob(group.folded)
        ) { _ in true } ?? false
    }

    /// Remove all assignments and exclusions of a group; returns the ids of the documents that had one, and of those that excluded it.
    func unassignAll(of group: Identity) throws(MAMError) -> (all: [JSON], excluding: [JSON]) {
        let found = try database.all(
            """
            SELECT d.id, max(s.is_exclusion) FROM \(kind.plural) d JOIN \(kind.assignments) s ON s.\(kind.row) = d.row
            WHERE s.group_key = ? GROUP BY d.row, d.id ORDER BY d.row
            """, .blob(group.folded)
        ) { (id: $0.jsonText(0), excludes: $0.bool(1)) }
        try database.run("DELETE FROM \(kind.assignments) WHERE group_key = ?", .blob(group.folded))
        return (found.map(\.id), found.filter(\.excludes).map(\.id))
    }

    /// Add an app to the targets.
    func target(_ row: Int64, _ app: String) throws(MAMError) {
        try database.run(
            "INSERT INTO \(kind.targets) (\(kind.row), app_row) VALUES (?, ?) ON CONFLICT DO NOTHING", .integer(row),
            .integer(try store.appRow(app)))
    }

    /// Remove an app from the targets.
    func untarget(_ row: Int64, _ app: String) throws(MAMError) -> Bool {
        try database.run(
            "DELETE FROM \(kind.targets) WHERE \(kind.row) = ? AND app_row = (SELECT row FROM apps WHERE id = ?)",
            .integer(row), .text(app)) > 0
    }

    /// Set whether the document is assigned to all users.
    func setAllUsers(_ row: Int64, _ value: Bool) throws(MAMError) {
        try database.run("UPDATE \(kind.plural) SET all_users = ? WHERE row = ?", .bool(value), .integer(row))
    }

    /// Set whether the document targets all apps.
    func setAllApps(_ row: Int64, _ value: Bool) throws(MAMError) {
        try database.run("UPDATE \(kind.plural) SET all_apps = ? WHERE row = ?", .bool(value), .integer(row))
    }

    /// The summary of a document.
    func summary(_ row: Int64) throws(MAMError) -> JSON { try summary(row, document(row)) }

    func summary(_ row: Int64, _ document: Document) throws(MAMError) -> JSON {
        let own = try database.first(
            """
            SELECT i.id, d.all_users, d.all_apps FROM \(kind.plural) d JOIN \(kind.imports) i ON i.row = d.import_row
            WHERE d.row = ?
            """, .integer(row)
        ) { ($0.jsonText(0), $0.jsonBool(1), $0.jsonBool(2)) }
        let apps = try database.all(
            "SELECT a.id FROM \(kind.targets) t JOIN apps a ON a.row = t.app_row WHERE t.\(kind.row) = ? ORDER BY t.row",
            .integer(row)
        ) { $0.jsonText(0) }
        let reach: [(key: String, value: JSON)] = [
            ("import", own?.0 ?? .null), ("groups", .array(try groups(row, isExclusion: false))),
            ("excludedGroups", .array(try groups(row, isExclusion: true))), ("allUsers", own?.1 ?? false),
            ("apps", .array(apps)), ("allApps", own?.2 ?? false),
        ]
        return .object(
            [("id", .string(document.id)), ("displayName", .string(document.displayName))] + document.origin + reach
                + [document.size])
    }

    /// The names of the assigned or excluded groups; the id of a group that the authority does not have.
    private func groups(_ row: Int64, isExclusion: Bool) throws(MAMError) -> [JSON] {
        try database.all(
            """
            SELECT coalesce(g.name, s.group_id) FROM \(kind.assignments) s
            LEFT JOIN user_groups g ON g.id_key = s.group_key
            WHERE s.\(kind.row) = ? AND s.is_exclusion = ? ORDER BY s.row
            """, .integer(row), .bool(isExclusion)
        ) { $0.jsonText(0) }
    }
}
