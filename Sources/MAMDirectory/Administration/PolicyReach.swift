import MAMPolicy
import MAMSupport

/// The apps in which policies reach users at one moment. Comparing two of them finds users whom a change leaves without any policy:
/// their data is unprotected from the next check-in on.
struct PolicyReach: Equatable {
    /// Apps of a user: every app, or some of those that the authority knows.
    private struct Apps: Equatable {
        var areAll = false
        var rows: Set<Int64> = []
    }

    private struct Policy: Equatable {
        let isDefault, isForAllUsers: Bool
        var apps: Apps
        var groups: Set<Int64> = []
        var excluded: Set<Int64> = []

        func reaches(_ memberships: [Int64]) -> Bool {
            guard !isDefault else { return true }
            return (isForAllUsers || memberships.contains(where: groups.contains))
                && !memberships.contains(where: excluded.contains)
        }
    }

    private var policies: [Int64: Policy] = [:]
    private var appNames: [Int64: String] = [:]
    /// The groups of each user, of those that policies name, in order.
    private var memberships: [Int64: [Int64]] = [:]
    /// Users that were added later have lost nothing.
    let lastUser: Int64

    /// The reach for all users, or for one.
    init(_ store: Store, of user: Int64? = nil) throws(MAMError) {
        let database = store.database
        lastUser = try database.first("SELECT max(row) FROM users") { $0.integer(0) } ?? 0
        try database.query("SELECT row, is_default, all_users, all_apps FROM policies") {
            let apps = Apps(areAll: $0.bool(1) || $0.bool(3))
            policies[$0.integer(0)] = Policy(isDefault: $0.bool(1), isForAllUsers: $0.bool(2), apps: apps)
        }
        try database.query("SELECT row, id FROM apps") { appNames[$0.integer(0)] = $0.text(1) ?? "" }
        try database.query("SELECT policy_row, app_row FROM targets") {
            policies[$0.integer(0)]?.apps.rows.insert($0.integer(1))
        }
        var named: Set<Int64> = []
        try database.query(
            """
            SELECT s.policy_row, s.is_exclusion, g.row FROM assignments s JOIN user_groups g ON g.id_key = s.group_key
            """
        ) {
            let group = $0.integer(2)
            named.insert(group)
            if $0.bool(1) {
                policies[$0.integer(0)]?.excluded.insert(group)
            } else {
                policies[$0.integer(0)]?.groups.insert(group)
            }
        }
        guard !named.isEmpty else { return }
        let (condition, values) = PolicyReach.condition("user_row", user)
        try database.query(
            "SELECT user_row, group_row FROM members\(condition) ORDER BY user_row, group_row", values
        ) {
            guard named.contains($0.integer(1)) else { return }
            memberships[$0.integer(0), default: []].append($0.integer(1))
        }
    }

    private static func condition(_ column: String, _ user: Int64?) -> (String, [SQLValue]) {
        user.map { (" WHERE \(column) = ?", [.integer($0)]) } ?? ("", [])
    }

    private func apps(of memberships: [Int64]) -> Apps {
        var apps = Apps()
        for policy in policies.values where policy.reaches(memberships) {
            if policy.apps.areAll { apps.areAll = true }
            apps.rows.formUnion(policy.apps.rows)
        }
        return apps
    }

    /// The users after a row whom no policy reaches in any app, as replies have them; nil without any, and before there is a policy.
    func unreached(after row: Int64, _ store: Store) throws(MAMError) -> JSON? {
        guard !policies.isEmpty else { return nil }
        var users = BoundedNames()
        var known: [[Int64]: Bool] = [:]
        try store.database.query("SELECT row, upn FROM users WHERE row > ? ORDER BY row", [.integer(row)]) {
            let groups = memberships[$0.integer(0)] ?? []
            let isReached = known[groups] ?? (apps(of: groups) != Apps())
            known[groups] = isReached
            if !isReached { users.add($0.text(1) ?? "") }
        }
        return users.count > 0 ? ["users": .strings(users.names), "userCount": .integer(users.count)] : nil
    }

    /// The users and apps that had a policy before and have none now, as replies have them; nil where there are none.
    func loss(since before: PolicyReach, _ store: Store, of user: Int64? = nil) throws(MAMError) -> JSON? {
        guard self != before else { return nil }
        // An app that nothing names any more is forgotten.
        let known = before.appNames.merging(appNames) { $1 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let every = Set(known.map(\.0))
        /// The apps that users of certain groups lose, and how many such users there are.
        var losses: [[[Int64]]: (apps: Apps, users: Int64)] = [:]
        var users = BoundedNames()
        func loss(_ former: [Int64], _ present: [Int64]) -> Apps {
            let (had, has) = (before.apps(of: former), apps(of: present))
            let rows = has.areAll ? [] : (had.areAll ? every : had.rows).subtracting(has.rows)
            return Apps(areAll: had.areAll && !has.areAll, rows: rows)
        }
        let (condition, values) = PolicyReach.condition("row", user)
        try store.database.query("SELECT row, upn FROM users\(condition) ORDER BY row", values) {
            let row = $0.integer(0)
            guard row <= before.lastUser else { return }
            let (former, present) = (before.memberships[row] ?? [], memberships[row] ?? [])
            let (apps, count) = losses[[former, present]] ?? (loss(former, present), 0)
            losses[[former, present]] = (apps, count + 1)
            if apps != Apps() { users.add($0.text(1) ?? "") }
        }
        guard users.count > 0 else { return nil }
        // Not each of these users loses each of the apps.
        var (counts, others): ([Int64: Int64], Int64) = ([:], 0)
        for (apps, count) in losses.values {
            for row in apps.rows { counts[row, default: 0] += count }
            if apps.areAll { others += count }
        }
        var named = BoundedNames()
        for (row, id) in known where counts[row] != nil { named.add(id) }
        let shown = known.compactMap { counts[$0.0] }.prefix(named.names.count)
        return [
            "users": .strings(users.names), "userCount": .integer(users.count), "apps": .strings(named.names),
            "appUserCounts": .array(shown.map { .integer($0) }), "appCount": .integer(named.count),
            "otherApps": .bool(others > 0), "otherAppsUserCount": .integer(others),
        ]
    }
}

extension Action {
    /// The same action, whose reply has "withoutPolicy" where it leaves users without any policy.
    var reportingLostPolicies: Action {
        guard mode == .write else { return self }
        let body = body
        return .write(name, keys) { (call) throws(MAMError) in
            var user: Int64?
            if let name = try call.arguments.optionalName("user") { user = try call.store.user(named: name)?.row }
            let before = try PolicyReach(call.store, of: user)
            let reply = try body(call)
            let loss = try PolicyReach(call.store, of: user).loss(since: before, call.store, of: user)
            return loss.map { reply.adding("withoutPolicy", $0) } ?? reply
        }
    }
}

extension JSON {
    /// An object with one more member.
    func adding(_ key: String, _ value: JSON) -> JSON { .object((object ?? []) + [(key: key, value: value)]) }

    /// A reply with a note for the administrator; the same reply where there is none.
    func noting(_ note: String?) -> JSON { note.map { adding("note", .string($0)) } ?? self }

    /// The same with all notes as one.
    func noting(_ notes: [String?]) -> JSON { noting(notes.asNote) }
}

extension [String?] {
    /// The notes as one; nil without any.
    var asNote: String? {
        let notes = compactMap(\.self)
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }
}
