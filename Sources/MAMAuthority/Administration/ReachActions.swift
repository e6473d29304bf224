import MAMSupport

/// `policy.assign`, `policy.target` and their opposites: whom a policy reaches. Doing one twice changes nothing.
enum ReachActions {
    static func assign(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let row = try PolicyActions.find(call)
        let isExclusion = call.arguments.flag("exclude") ?? false
        if isExclusion, try call.store.policy(row).isTenantDefault {
            throw .argument("exclude", DocumentReach.defaultExcludesNobody)
        }
        if try isForEverybody(call) {
            try call.database.run("UPDATE policies SET all_users = 1 WHERE row = ?", .integer(row))
        } else {
            guard let group = try call.store.group(named: call.arguments.name("group")) else {
                throw call.notFound("group", "group")
            }
            try call.store.assign(row, group.id, isExclusion: isExclusion)
        }
        return try call.store.summary(row)
    }

    static func unassign(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let row = try PolicyActions.find(call)
        if try isForEverybody(call) {
            try call.database.run("UPDATE policies SET all_users = 0 WHERE row = ?", .integer(row))
        } else {
            let name = try call.arguments.name("group")
            let group = try call.store.group(named: name)?.id
            // A document may name a group that is not here.
            let removed = try call.database.run(
                "DELETE FROM assignments WHERE policy_row = ? AND is_exclusion = ? AND group_key = ?", .integer(row),
                .bool(call.arguments.flag("exclude") ?? false), .blob((group ?? name).folded))
            guard removed > 0 || group != nil else { throw call.notFound("group", "group") }
        }
        return try call.store.summary(row)
    }

    static func target(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let row = try PolicyActions.find(call)
        if try call.arguments.oneOf("app", "allApps") == "allApps" {
            try call.database.run("UPDATE policies SET all_apps = 1 WHERE row = ?", .integer(row))
        } else {
            try call.store.target(row, call.arguments.text("app") ?? "")
        }
        return try call.store.summary(row)
    }

    static func untarget(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let row = try PolicyActions.find(call)
        if try call.arguments.oneOf("app", "allApps") == "allApps" {
            try call.database.run("UPDATE policies SET all_apps = 0 WHERE row = ?", .integer(row))
        } else {
            try call.database.run(
                "DELETE FROM targets WHERE policy_row = ? AND app_row = (SELECT row FROM apps WHERE id = ?)",
                .integer(row), .text(call.arguments.text("app") ?? ""))
        }
        return try call.store.summary(row)
    }

    private static func isForEverybody(_ call: AdministrationCall) throws(MAMError) -> Bool {
        let isForEverybody = try call.arguments.oneOf("group", "allUsers") == "allUsers"
        if isForEverybody, call.arguments.flag("exclude") == true {
            throw .argument("exclude", "goes with a group; a policy that excludes everybody reaches nobody")
        }
        return isForEverybody
    }
}
