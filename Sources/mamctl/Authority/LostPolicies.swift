import MAMValues

/// Warnings about users whom changes leave without any policy, from "withoutPolicy" of the replies.
enum LostPolicies {
    /// The warning of one reply; nil where nobody is left without a policy.
    static func line(_ reply: JSON) -> String? {
        let lost = reply["withoutPolicy"]
        guard lost != .null else { return nil }
        let count = lost["userCount"].integer ?? 0
        // In each app it may be others of them.
        func of(_ part: JSON) -> String { part.integer.map { $0 < count ? " (\($0) of them)" : "" } ?? "" }
        let counted = zip(lost["apps"].elements, lost["appUserCounts"].elements).map { app, part in
            JSON.string(Text.value(app) + of(part))
        }
        let apps = counted.isEmpty ? [] : [Text.first(counted, of: lost["appCount"])]
        let others =
            lost["otherApps"] == .bool(true)
            ? [(apps.isEmpty ? "every app" : "every other app") + of(lost["otherAppsUserCount"])] : []
        return Text.clean(
            "warning: this change leaves \(count == 1 ? "a user" : "\(count) users") without any policy: "
                + "\(Text.first(lost["users"].elements, of: lost["userCount"])), in \((apps + others).joined(separator: " and ")); from the next check-in on "
                + "nothing protects their data there (103)")
    }

    /// Print the warning of a reply.
    static func warn(_ reply: JSON) {
        if let line = line(reply) { Output.complain(line) }
    }

    /// Print a warning about new users whom no policy reaches.
    static func warn(unreached: JSON) {
        guard unreached != .null else { return }
        let count = unreached["userCount"].integer ?? 0
        Output.complain(
            Text.clean(
                "warning: no policy reaches \(count == 1 ? "a new user" : "\(count) new users"): "
                    + "\(Text.first(unreached["users"].elements, of: unreached["userCount"])); their apps stay unmanaged, and nothing protects what they save"
            ))
    }

    /// One reply for several that each changed one user: the last, with the users of all.
    static func merged(_ replies: [JSON]) -> JSON {
        let losses = replies.map { $0["withoutPolicy"] }.filter { $0 != .null }
        guard let last = replies.last else { return .null }
        guard !losses.isEmpty else { return last }
        func all(_ key: String) -> [JSON] {
            losses.flatMap { $0[key].elements }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
        let (users, apps) = (all("users"), all("apps"))
        // Each reply is of one user.
        let counts = apps.prefix(20).map { app in JSON.number(losses.count { $0["apps"].elements.contains(app) }) }
        let lost: JSON = [
            "users": .array(Array(users.prefix(20))), "userCount": .number(users.count),
            "apps": .array(Array(apps.prefix(20))), "appUserCounts": .array(counts),
            "appCount": .number(max(apps.count, losses.map { Int($0["appCount"].integer ?? 0) }.max() ?? 0)),
            "otherApps": .bool(losses.contains { $0["otherApps"] == .bool(true) }),
            "otherAppsUserCount": .number(losses.count { $0["otherApps"] == .bool(true) }),
        ]
        return .object(last.members.filter { $0.key != "withoutPolicy" } + [(key: "withoutPolicy", value: lost)])
    }
}
