import MAMSupport

/// `group.*`.
enum GroupActions {
    static func add(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let name = try call.arguments.name("name")
        let made = try Identity(Store.newId())
        let id = try call.arguments.optionalName("id") ?? made
        for (key, value) in [("name", name), ("id", id)] {
            guard try call.store.group(named: value) == nil else {
                throw call.already(
                    key, "a group with the name or id \(ForeignText.quoted(value.text)) is there already")
            }
        }
        let known = try call.names("SELECT name FROM user_groups ORDER BY row")
        let nearest = ImportedGroups.nearest(name.folded, among: known.lazy.map(Identity.fold))
        let row = try call.database.insert(
            "INSERT INTO user_groups (id, id_key, name, name_key) VALUES (?, ?, ?, ?)", .text(id.text),
            .blob(id.folded), .text(name.text), .blob(name.folded))
        let other = known.first { Identity.fold($0) == nearest }
        return try json(row, call).noting(other.map { "it is new, beside the group \(ForeignText.quoted($0))" })
    }

    static func show(_ call: AdministrationCall) throws(MAMError) -> JSON { try json(find(call).row, call) }

    /// Removes assignments and exclusions with the group; the reply lists the policies and configurations that had one, and those that
    /// excluded its members and may reach them now.
    static func remove(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let group = try find(call)
        guard case .object(let members) = try json(group.row, call) else { return .null }
        let policies = try call.store.policies.unassignAll(of: group.id)
        let configurations = try call.store.configurations.unassignAll(of: group.id)
        try call.database.run("DELETE FROM user_groups WHERE row = ?", .integer(group.row))
        return .object(
            members + [
                ("policies", .array(policies.all)), ("configurations", .array(configurations.all)),
                ("excludingPolicies", .array(policies.excluding)),
                ("excludingConfigurations", .array(configurations.excluding)),
            ])
    }

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let rows = try call.database.all("SELECT row FROM user_groups ORDER BY row") { $0.integer(0) }
        return ["groups": .array(try rows.map { (row) throws(MAMError) in try json(row, call) })]
    }

    static func addMember(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let (group, user) = (try find(call), try UserActions.find(call))
        try add(user.row, to: group, call)
        return try json(group.row, call)
    }

    /// Make a user a member of groups that exist.
    static func join(_ user: Int64, _ names: [String], _ call: AdministrationCall) throws(MAMError) {
        for name in names {
            try add(user, to: find(Identity(name, argument: "groups"), "groups", call), call)
        }
    }

    private static func add(_ user: Int64, to group: Group, _ call: AdministrationCall) throws(MAMError) {
        try call.database.run(
            "INSERT INTO members (group_row, user_row) VALUES (?, ?) ON CONFLICT DO NOTHING", .integer(group.row),
            .integer(user))
    }

    static func removeMember(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let (group, user) = (try find(call), try UserActions.find(call))
        let count = try call.database.run(
            "DELETE FROM members WHERE group_row = ? AND user_row = ?", .integer(group.row), .integer(user.row))
        return try json(group.row, call).noting(count > 0 ? nil : "\(user.upn) was not in it")
    }

    private static func find(_ call: AdministrationCall) throws(MAMError) -> Group {
        try find(call.arguments.name("group"), "group", call)
    }

    /// The group with a name, which the argument `key` is or lists.
    static func find(_ name: Identity, _ key: String, _ call: AdministrationCall) throws(MAMError) -> Group {
        guard let group = try call.store.group(named: name) else { throw try unknown(name, key, call) }
        return group
    }

    /// The error for a group that is not there.
    static func unknown(_ name: Identity, _ key: String, _ call: AdministrationCall) throws(MAMError) -> MAMError {
        try call.notFound(key, "group", named: name.text) { () throws(MAMError) in
            try call.names("SELECT name FROM user_groups UNION SELECT id FROM user_groups WHERE id <> name ORDER BY 1")
        }
    }

    private static func json(_ row: Int64, _ call: AdministrationCall) throws(MAMError) -> JSON {
        let members = try call.database.all(
            "SELECT u.upn FROM members m JOIN users u ON u.row = m.user_row WHERE m.group_row = ? ORDER BY m.row",
            .integer(row)
        ) { $0.jsonText(0) }
        return try call.database.first("SELECT id, name FROM user_groups WHERE row = ?", .integer(row)) {
            ["id": $0.jsonText(0), "name": $0.jsonText(1), "members": .array(members)]
        } ?? .null
    }
}

/// A group of users.
struct Group {
    let row: Int64
    let id: Identity
}

extension Store {
    /// A group by id or name.
    func group(named name: Identity) throws(MAMError) -> Group? {
        try database.first(
            "SELECT row, id FROM user_groups WHERE id_key = ?1 OR name_key = ?1", .blob(name.folded)
        ) { (row) throws(MAMError) in Group(row: row.integer(0), id: try Identity(row.text(1) ?? "", argument: "group"))
        }
    }
}
