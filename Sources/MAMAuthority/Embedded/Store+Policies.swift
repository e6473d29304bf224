import MAMPolicy
import MAMSupport

/// Policies and whom they reach, as the administrator keeps and sees them.
extension Store {
    /// Keep a policy, in place of the one with its id, which keeps its place, assignments and apps.
    func keep(_ policy: PolicyDocument, id: Identity, importRow: Int64) throws(MAMError) -> Int64 {
        try database.run(
            """
            INSERT INTO policies (id, id_key, import_row, is_default, document) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id_key) DO UPDATE SET id = excluded.id, import_row = excluded.import_row,
                is_default = excluded.is_default, document = excluded.document
            """, .text(id.text), .blob(id.folded), .integer(importRow), .bool(policy.isTenantDefault),
            .text(policy.json.text))
        return try database.first("SELECT row FROM policies WHERE id_key = ?", .blob(id.folded)) { $0.integer(0) } ?? 0
    }

    /// Let a policy reach whom its document says, besides whom it reaches already.
    func add(_ reach: DocumentReach, toPolicy row: Int64) throws(MAMError) {
        for group in reach.groups { try assign(row, group, isExclusion: false) }
        for group in reach.excludedGroups { try assign(row, group, isExclusion: true) }
        for app in reach.apps { try target(row, app) }
        try database.run(
            "UPDATE policies SET all_users = all_users OR ?, all_apps = all_apps OR ? WHERE row = ?",
            .bool(reach.allUsers), .bool(reach.allApps), .integer(row))
    }

    /// Assign a policy to a group, or exclude the group, by the group's id.
    func assign(_ policy: Int64, _ group: Identity, isExclusion: Bool) throws(MAMError) {
        try database.run(
            "INSERT OR IGNORE INTO assignments (policy_row, is_exclusion, group_id, group_key) VALUES (?, ?, ?, ?)",
            .integer(policy), .bool(isExclusion), .text(group.text), .blob(group.folded))
    }

    /// Target an app.
    func target(_ policy: Int64, _ app: String) throws(MAMError) {
        try database.run(
            "INSERT OR IGNORE INTO targets (policy_row, app_row) VALUES (?, ?)", .integer(policy),
            .integer(try appRow(app)))
    }

    /// Forget documents of which no policy is left.
    func removeUnusedImports() throws(MAMError) {
        try database.run(
            "DELETE FROM imports WHERE NOT EXISTS (SELECT 1 FROM policies p WHERE p.import_row = imports.row)")
    }

    /// A policy, read.
    func policy(_ row: Int64) throws(MAMError) -> PolicyDocument {
        let found = try database.first("SELECT id, document FROM policies WHERE row = ?", .integer(row)) {
            ($0.text(0) ?? "", $0.text(1) ?? "")
        }
        let (id, text) = found ?? ("", "")
        return try PolicyDocument(id: id, json: try Store.document(text, of: "policy \(id)"))
    }

    /// A policy's summary.
    func summary(_ row: Int64) throws(MAMError) -> JSON { try summary(row, policy(row)) }

    func summary(_ row: Int64, _ policy: PolicyDocument) throws(MAMError) -> JSON {
        let own = try database.first(
            """
            SELECT i.id, p.all_users, p.all_apps FROM policies p JOIN imports i ON i.row = p.import_row WHERE p.row = ?
            """, .integer(row)
        ) { ($0.jsonText(0), $0.jsonBool(1), $0.jsonBool(2)) }
        let apps = try database.all(
            "SELECT a.id FROM targets t JOIN apps a ON a.row = t.app_row WHERE t.policy_row = ? ORDER BY t.row",
            .integer(row)
        ) { $0.jsonText(0) }
        return [
            "id": .string(policy.id), "displayName": .string(policy.displayName),
            "platform": .string(policy.platform.name), "type": .string(policy.type), "import": own?.0 ?? .null,
            "groups": .array(try groups(row, isExclusion: false)),
            "excludedGroups": .array(try groups(row, isExclusion: true)), "allUsers": own?.1 ?? false,
            "apps": .array(apps), "allApps": own?.2 ?? false, "counts": policy.counts,
        ]
    }

    /// Names of groups; the id of one that is not here yet.
    private func groups(_ policy: Int64, isExclusion: Bool) throws(MAMError) -> [JSON] {
        try database.all(
            """
            SELECT coalesce(g.name, s.group_id) FROM assignments s LEFT JOIN user_groups g ON g.id_key = s.group_key
            WHERE s.policy_row = ? AND s.is_exclusion = ? ORDER BY s.row
            """, .integer(policy), .bool(isExclusion)
        ) { $0.jsonText(0) }
    }
}

extension DocumentReach {
    /// What `policy.import` and `policy.show` tell.
    func warnings(of policy: PolicyDocument) -> [JSON] {
        var remarks = remarks
        if policy.isTenantDefault, !excludedGroups.isEmpty {
            remarks.append(Remark(setting: "assignments", value: .null, message: DocumentReach.defaultExcludesNobody))
        }
        return remarks.map {
            [
                "policyId": .string(policy.id), "setting": .string($0.setting), "value": $0.value,
                "message": .string("policy \(policy.id): \($0.setting) \($0.message)"),
            ]
        }
    }

    /// Why an exclusion is refused, or left out.
    static let defaultExcludesNobody =
        "excludes a group, but a tenant default reaches everybody whom no other policy reaches"
}
