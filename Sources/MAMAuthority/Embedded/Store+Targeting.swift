import MAMSupport

/// Whom a policy reaches; docs/authority.md. A tenant default (`defaultManagedAppProtection`) reaches whom no other does.
extension Store {
    private static let condition = """
        (p.all_apps OR EXISTS (
            SELECT 1 FROM targets t JOIN apps a ON a.row = t.app_row WHERE t.policy_row = p.row AND a.id = ?2))
        AND (p.all_users OR \(inGroup(exclusion: 0))) AND NOT \(inGroup(exclusion: 1))
        """

    private static func inGroup(exclusion: Int) -> String {
        """
        EXISTS (SELECT 1 FROM assignments s JOIN user_groups g ON g.id_key = s.group_key
            JOIN members m ON m.group_row = g.row
            WHERE s.policy_row = p.row AND s.is_exclusion = \(exclusion) AND m.user_row = ?1)
        """
    }

    /// Whether any policy reaches a user in an app.
    func isTargeted(_ user: User, app: AppFacts) throws(MAMError) -> Bool {
        try database.first(
            "SELECT 1 FROM policies p WHERE p.is_default OR (\(Store.condition)) LIMIT 1",
            .integer(user.row), .text(app.id)
        ) { _ in true } ?? false
    }

    /// The policies that reach a user in an app, in order of creation.
    func policies(of user: User, app: AppFacts) throws(MAMError) -> [PolicyRecord] {
        let targeted = try database.all(
            "SELECT p.id, p.document FROM policies p WHERE NOT p.is_default AND \(Store.condition) ORDER BY p.row",
            .integer(user.row), .text(app.id), map: Store.policy)
        guard targeted.isEmpty else { return targeted }
        return try database.all("SELECT id, document FROM policies WHERE is_default ORDER BY row", map: Store.policy)
    }

    private static func policy(_ row: Row) throws(MAMError) -> PolicyRecord {
        let id = row.text(0) ?? ""
        return PolicyRecord(id: id, document: try document(row.text(1) ?? "", of: "policy \(id)"))
    }

    /// A document as it is kept.
    static func document(_ text: String, of what: String) throws(MAMError) -> JSON {
        // Compact text can be longer than what came in: a control character of one byte becomes an escape of six.
        do throws(MAMError) { return try JSON(parsing: text, limit: 128 << 20) } catch {
            throw MAMError(.storage, "\(what) cannot be read: \(error.message)", [("document", .string(what))])
        }
    }
}
