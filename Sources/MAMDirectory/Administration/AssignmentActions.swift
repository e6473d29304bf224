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
        if try isForEverybody(call) {
            try documents.setAllUsers(row, true)
        } else {
            guard let group = try call.store.group(named: call.arguments.name("group")) else {
                throw try GroupActions.unknown(call)
            }
            try documents.assign(row, group.id, isExclusion: isExclusion)
        }
        return try documents.summary(row)
    }

    static func unassign(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try Actions.find(call)
        let former = try documents.summary(row)
        guard try !isForEverybody(call) else {
            try documents.setAllUsers(row, false)
            let reply = try documents.summary(row)
            return former["allUsers"] == true ? reply : reply.adding("note", "it was not assigned to all users")
        }
        let name = try call.arguments.name("group")
        let group = try call.store.group(named: name)?.id
        // A document may name a group that the authority does not have.
        let isExclusion = call.arguments.flag("exclude") ?? false
        let wasThere = try documents.unassign(row, group ?? name, isExclusion: isExclusion)
        if !wasThere, try documents.isAssigned(row, group ?? name, isExclusion: !isExclusion) {
            throw .argument("group", other(name, isExclusion))
        }
        guard wasThere || group != nil else { throw try GroupActions.unknown(call) }
        let note = "\(ForeignText.quoted(name.text)) was not \(isExclusion ? "excluded from" : "assigned to") it"
        return wasThere ? try documents.summary(row) : former.adding("note", .string(note))
    }

    static func target(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try Actions.find(call)
        if try call.arguments.oneOf("app", "allApps") == "allApps" {
            try documents.setAllApps(row, true)
        } else {
            // An app may be unknown until it enrolls, so that a name is questioned only where it is near a known one.
            let note = try call.misspeltApp()
            try documents.target(row, call.arguments.text("app") ?? "")
            if let note { return try documents.summary(row).adding("note", .string(note)) }
        }
        return try documents.summary(row)
    }

    static func untarget(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try Actions.find(call)
        let former = try documents.summary(row)
        guard try call.arguments.oneOf("app", "allApps") == "app" else {
            try documents.setAllApps(row, false)
            let reply = try documents.summary(row)
            return former["allApps"] == true ? reply : reply.adding("note", "it did not target all apps")
        }
        let app = call.arguments.text("app") ?? ""
        guard try !documents.untarget(row, app) else { return try documents.summary(row) }
        let note = try call.unknownApp() ?? "it did not target \(ForeignText.quoted(app))"
        return former.adding("note", .string(note))
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
