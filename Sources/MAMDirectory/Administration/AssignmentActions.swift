import MAMSupport

/// `policy.assign`, `policy.target`, `config.assign` and the like: the users and apps that a document reaches. All are idempotent.
enum AssignmentActions<Document: TargetedDocument> {
    private typealias Actions = DocumentActions<Document>

    static func assign(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try Actions.find(call)
        let isExclusion = call.arguments.flag("exclude") ?? false
        if isExclusion, try documents.document(row).isTenantDefault {
            throw .argument("exclude", Document.kind.defaultExcludesNobody)
        }
        guard try !isForEverybody(call) else {
            try documents.setAllUsers(row, true)
            return try documents.summary(row)
        }
        let name = try call.arguments.name("group")
        let group = try GroupActions.find(name, "group", call)
        try documents.assign(row, group.id, isExclusion: isExclusion)
        let reply = try documents.summary(row)
        let isOpposed = try documents.isAssigned(row, group.id, isExclusion: !isExclusion)
        return reply.noting(ineffective(ForeignText.quoted(name.text), isExclusion, isOpposed: isOpposed, reply))
    }

    /// A note where an assignment reaches nobody more, or a group is assigned whose members an exclusion leaves out.
    private static func ineffective(
        _ group: String, _ isExclusion: Bool, isOpposed: Bool, _ summary: JSON
    ) -> String? {
        guard !isExclusion else {
            return isOpposed
                ? "\(group) is assigned as well, which has no effect while the group is excluded; unassign takes the assignment back"
                : nil
        }
        if isOpposed {
            return
                "\(group) is excluded, so that this assignment has no effect; unassign with --exclude (\"exclude\":true) takes the "
                + "exclusion back"
        }
        if summary["tenantDefault"] == true { return "it is a tenant default, which reaches everybody" }
        guard summary["allUsers"] == true else { return nil }
        return
            "it reaches all users already, so that \(group) changes nothing; to reach the group alone take all users away "
            + "(unassign --all-users)"
    }

    static func unassign(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try Actions.find(call)
        let former = try documents.summary(row)
        guard try !isForEverybody(call) else {
            try documents.setAllUsers(row, false)
            return try documents.summary(row).noting(
                former["allUsers"] == true ? nil : "it was not assigned to all users")
        }
        let name = try call.arguments.name("group")
        let group = try call.store.group(named: name)?.id
        // A document may name a group that the authority does not have.
        let isExclusion = call.arguments.flag("exclude") ?? false
        let wasThere = try documents.unassign(row, group ?? name, isExclusion: isExclusion)
        if !wasThere, try documents.isAssigned(row, group ?? name, isExclusion: !isExclusion) {
            throw .argument("group", other(name, isExclusion))
        }
        guard wasThere || group != nil else { throw try GroupActions.unknown(name, "group", call) }
        guard !wasThere else { return try documents.summary(row) }
        let note = "\(ForeignText.quoted(name.text)) was not \(isExclusion ? "excluded from" : "assigned to") it"
        let still = !isExclusion && former["allUsers"] == true ? ", and it reaches all users" : ""
        return former.noting(note + still)
    }

    static func target(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try Actions.find(call)
        if try call.arguments.oneOf("app", "allApps") == "allApps" {
            try documents.setAllApps(row, true)
        } else {
            // An app may be unknown until it enrolls, so that a name is questioned only where it is near a known one.
            let misspelt = try call.misspeltApp()
            try documents.target(row, call.arguments.text("app") ?? "")
            let reply = try documents.summary(row)
            let targetsAll = reply["allApps"] == true || reply["tenantDefault"] == true
            return reply.noting(
                misspelt ?? (targetsAll ? "it targets all apps already, so that this app changes nothing" : nil))
        }
        return try documents.summary(row)
    }

    static func untarget(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try Actions.find(call)
        let former = try documents.summary(row)
        guard try call.arguments.oneOf("app", "allApps") == "app" else {
            try documents.setAllApps(row, false)
            return try documents.summary(row).noting(former["allApps"] == true ? nil : "it did not target all apps")
        }
        let app = call.arguments.text("app") ?? ""
        let wasTargeted = try documents.untarget(row, app)
        let unknown = wasTargeted ? nil : try call.unknownApp()
        try call.store.forgetUnusedApp(app)
        guard !wasTargeted else { return try documents.summary(row) }
        let still = former["allApps"] == true ? ", and it targets all apps" : ""
        return former.noting((unknown ?? "it did not target \(ForeignText.quoted(app))") + still)
    }

    /// The error for a group that is excluded where it should be assigned, or the other way round.
    private static func other(_ group: Identity, _ isExclusion: Bool) -> String {
        let name = ForeignText.quoted(group.text)
        return isExclusion
            ? "\(name) is assigned, not excluded; to take the assignment back leave out --exclude (\"exclude\")"
            : "\(name) is excluded, not assigned; to take the exclusion back give --exclude (\"exclude\":true)"
    }

    private static func isForEverybody(_ call: AdministrationCall) throws(MAMError) -> Bool {
        let isForEverybody = try call.arguments.oneOf("group", "allUsers") == "allUsers"
        if isForEverybody, call.arguments.flag("exclude") == true {
            throw .argument(
                "exclude", "goes with a group; a \(Document.kind.noun) that excludes every user reaches none")
        }
        return isForEverybody
    }
}
