import MAMPolicy
import MAMSupport

/// Why a document reaches a user in an app, or does not.
struct TargetingExplanation {
    /// A reason; a document that does not reach the user may have several.
    enum Reason: String {
        /// Assigned to the user and targeted at the app.
        case assigned
        /// The tenant default.
        case tenantDefault
        /// A tenant default, which does not apply because another policy reaches the user.
        case replaced
        case notAssigned, excluded, notTargeted
        /// The authority refuses the user's check-ins.
        case refused
    }

    let isDefault: Bool
    let allUsers, allApps, targetsApp: Bool
    /// The groups that the document is assigned to: those of the user, and the others.
    let groups, otherGroups: [String]
    /// The excluded groups that the user is in.
    let excludedBy: [String]

    private func obstacles(isRefused: Bool) -> [Reason] {
        if isRefused { return [.refused] }
        if isDefault { return [.replaced] }
        return [
            allUsers || !groups.isEmpty ? nil : .notAssigned, excludedBy.isEmpty ? nil : .excluded,
            allApps || targetsApp ? nil : .notTargeted,
        ].compactMap { $0 }
    }

    /// The reasons. Whether the document is delivered comes from the simulated check-in, which decides.
    func reasons(isDelivered: Bool, isRefused: Bool) -> [Reason] {
        isDelivered ? [isDefault ? .tenantDefault : .assigned] : obstacles(isRefused: isRefused)
    }

    /// The reasons as one line for a person.
    func message(_ reasons: [Reason]) -> String { reasons.map(message).joined(separator: "; ") }

    private func message(_ reason: Reason) -> String {
        switch reason {
        case .assigned:
            "assigned to \(TargetingExplanation.list((allUsers ? ["all users"] : []) + groups.map(ForeignText.quoted))), "
                + (allApps ? "targets all apps" : "targets the app")
        case .tenantDefault: "the tenant's default"
        case .replaced: "the tenant's default, and another policy reaches the user"
        case .notAssigned:
            otherGroups.isEmpty
                ? "not assigned to anybody"
                : "not assigned to the user, who is not in \(TargetingExplanation.list(otherGroups.map(ForeignText.quoted)))"
        case .excluded:
            "excludes \(TargetingExplanation.list(excludedBy.map(ForeignText.quoted))), which the user is in"
        case .notTargeted: "does not target the app"
        case .refused: "the authority refuses the user's check-ins"
        }
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(5).joined(separator: ", ")
        return names.count > 5 ? "\(shown) and \(names.count - 5) more" : shown
    }
}

extension DocumentStore {
    /// Each document, and why it reaches a user in an app or does not, in order of creation.
    func explanations(
        for user: User, app: AppFacts
    ) throws(MAMError) -> [(row: Int64, explanation: TargetingExplanation)] {
        try database.all(
            """
            SELECT d.row, d.is_default, d.all_users, d.all_apps, EXISTS (
                SELECT 1 FROM \(kind.targets) t JOIN apps a ON a.row = t.app_row
                WHERE t.\(kind.row) = d.row AND a.id = ?)
            FROM \(kind.plural) d ORDER BY d.row
            """, .text(app.id)
        ) { (row) throws(MAMError) in
            let number = row.integer(0)
            let (own, others) = try groups(number, of: user, isExclusion: false)
            let explanation = TargetingExplanation(
                isDefault: row.bool(1), allUsers: row.bool(2), allApps: row.bool(3), targetsApp: row.bool(4),
                groups: own, otherGroups: others, excludedBy: try groups(number, of: user, isExclusion: true).own)
            return (number, explanation)
        }
    }

    /// The names of the groups of a document's assignments or exclusions: those of the user, and the others.
    private func groups(
        _ row: Int64, of user: User, isExclusion: Bool
    ) throws(MAMError) -> (own: [String], others: [String]) {
        let found = try database.all(
            """
            SELECT coalesce(g.name, s.group_id), EXISTS (
                SELECT 1 FROM members m WHERE m.group_row = g.row AND m.user_row = ?)
            FROM \(kind.assignments) s LEFT JOIN user_groups g ON g.id_key = s.group_key
            WHERE s.\(kind.row) = ? AND s.is_exclusion = ? ORDER BY s.row
            """, .integer(user.row), .integer(row), .bool(isExclusion)
        ) { (name: $0.text(0) ?? "", isMember: $0.bool(1)) }
        return (found.filter(\.isMember).map(\.name), found.filter { !$0.isMember }.map(\.name))
    }
}
