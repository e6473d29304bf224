import MAMPolicy
import MAMSupport

/// Selects the documents that reach a user in an app; docs/authority.md.
extension DocumentStore {
    private var condition: String {
        """
        (d.all_apps = 1 OR EXISTS (
            SELECT 1 FROM \(kind.targets) t JOIN apps a ON a.row = t.app_row WHERE t.\(kind.row) = d.row AND a.id = ?2))
        AND \(isForUser)
        """
    }

    private var isForUser: String {
        "(d.all_users = 1 OR \(inGroup(isExclusion: "0"))) AND NOT \(inGroup(isExclusion: "1"))"
    }

    private func inGroup(isExclusion: StaticString) -> String {
        """
        EXISTS (SELECT 1 FROM \(kind.assignments) s JOIN user_groups g ON g.id_key = s.group_key
            JOIN members m ON m.group_row = g.row
            WHERE s.\(kind.row) = d.row AND s.is_exclusion = \(isExclusion) AND m.user_row = ?1)
        """
    }

    /// Whether a document other than a tenant default reaches a user in an app.
    func isTargeted(_ user: User, app: AppFacts) throws(MAMError) -> Bool {
        try database.first(
            "SELECT 1 FROM \(kind.plural) d WHERE d.is_default = 0 AND \(condition) LIMIT 1", .integer(user.row),
            .text(app.id)
        ) { _ in true } ?? false
    }

    /// The documents that reach a user in an app, without tenant defaults, in order of creation.
    func targeted(at user: User, app: AppFacts) throws(MAMError) -> [(id: String, json: JSON, signature: [UInt8])] {
        try database.all(
            "SELECT d.id, d.document, \(signature) FROM \(kind.plural) d WHERE d.is_default = 0 AND \(condition) ORDER BY d.row",
            .integer(user.row), .text(app.id), map: stored)
    }

    /// The apps in which a document reaches a user.
    func apps(reaching user: User) throws(MAMError) -> TargetedApps {
        // A tenant default reaches every app that no other document targets.
        let isEvery = try database.first(
            "SELECT 1 FROM \(kind.plural) d WHERE d.is_default = 1 OR (d.all_apps = 1 AND \(isForUser)) LIMIT 1",
            .integer(user.row)
        ) { _ in true }
        if isEvery == true { return .all }
        return .listed(
            try database.all(
                """
                SELECT a.id FROM apps a WHERE EXISTS (
                    SELECT 1 FROM \(kind.targets) t JOIN \(kind.plural) d ON d.row = t.\(kind.row)
                    WHERE t.app_row = a.row AND \(isForUser))
                LIMIT ?2
                """, .integer(user.row), .integer(TargetedApps.maximumListed)
            ) { $0.text(0) ?? "" })
    }

    /// The tenant defaults, in order of creation.
    func defaults() throws(MAMError) -> [(id: String, json: JSON, signature: [UInt8])] {
        try database.all(
            "SELECT d.id, d.document, \(signature) FROM \(kind.plural) d WHERE d.is_default = 1 ORDER BY d.row",
            map: stored
        )
    }

    /// The ids of the tenant defaults, in order of creation.
    func defaultIds() throws(MAMError) -> [String] {
        try database.all("SELECT id FROM \(kind.plural) WHERE is_default = 1 ORDER BY row") { $0.text(0) ?? "" }
    }

    private var signature: String {
        "(SELECT s.signature FROM signatures s WHERE s.of = '\(kind.plural)' AND s.row = d.row)"
    }

    private func stored(_ row: any SQLRow) throws(MAMError) -> (id: String, json: JSON, signature: [UInt8]) {
        let (id, signature) = (row.text(0) ?? "", row.blob(2))
        func read() throws(MAMError) -> JSON {
            let text = row.text(1) ?? ""
            if let signed = store.signed, let table = SignedTable(rawValue: kind.plural) {
                try signed.rows.checkDocument(table, id: id, text: text, signature: signature, signed.trust)
            }
            return try Store.document(text, of: "\(kind.noun) \(id)")
        }
        guard let cache = store.documentCache else { return (id, try read(), signature) }
        return (id, try cache.document(id, kind, read: read), signature)
    }
}
