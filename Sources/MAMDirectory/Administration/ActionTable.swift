import MAMPolicy
import MAMSupport

/// The table of all actions; docs/authority.md describes them.
package enum ActionTable {
    static let all: [Action] = authority + users + groups + policies + configurations + apps + wipes + faults

    /// The action of a request and its arguments.
    package static func read(_ request: JSON) throws(MAMError) -> (Action, Arguments) {
        guard let members = request.object else {
            throw MAMError(.json, "the request is a JSON \(request.typeName); it must be an object")
        }
        guard let value = request["action"] else {
            throw MAMError(.json, "action is missing", [("argument", "action")])
        }
        guard let name = value.string else {
            throw MAMError(
                .json, "action is a JSON \(value.typeName); it must be a string", [("argument", "action")])
        }
        guard let action = all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            throw .argument("action", "\(ForeignText.quoted(name)) is no action; docs/authority.md lists them")
        }
        return (action, try action.arguments(members))
    }

    private static let authority: [Action] = [
        .create(
            "authority.create", [.optional("tenantId", .name), .optional("name", .label)], AuthorityActions.create),
        .read("authority.show", [], AuthorityActions.show),
        .write(
            "authority.set",
            [
                .optional("name", .label), .nullable("checkInInterval", .duration(.minutes(1) ... .days(1))),
                .optional("domains", .list(.domain, maximum: 256)),
            ],
            AuthorityActions.set),
        .write("authority.accept", [], AuthorityActions.accept),
        .read("key.show", [], KeyActions.show),
        .write("key.rotate", [], KeyActions.rotate),
        .sign("key.sign", KeyActions.show),
    ]

    private static let users: [Action] = [
        .write(
            "user.add",
            [
                .required("upn", .account), .optional("accountId", .account), .optional("tenantId", .name),
                .optional("displayName", .label), .optional("licensed", .flag), .optional("enabled", .flag),
                .optional("accessTokenFile", .path), .optional("groups", .list(.name, maximum: 256)),
            ], UserActions.add),
        .write(
            "user.set",
            [
                .required("user", .name), .optional("upn", .account), .optional("displayName", .label),
                .optional("enabled", .flag), .optional("licensed", .flag), .optional("migrating", .flag),
                .nullable("accessTokenFile", .path),
            ], UserActions.set),
        .read("user.show", [.required("user", .name)], UserActions.show),
        .write("user.remove", [.required("user", .name), .optional("force", .flag)], UserActions.remove),
        .read("user.list", [], UserActions.list),
        .write(
            "user.import",
            [
                .required("users", .records(UserImport.keys, maximum: UserImport.maximum)), .optional("update", .flag),
            ],
            UserImport.run
        ).rehearsable.reportingLostPolicies,
    ]

    private static let membership: [Action.Key] = [.required("group", .name), .required("user", .name)]
    private static let groups: [Action] = [
        .write("group.add", [.required("name", .name), .optional("id", .name)], GroupActions.add),
        .read("group.show", [.required("group", .name)], GroupActions.show),
        .write("group.remove", [.required("group", .name)], GroupActions.remove).rehearsable.reportingLostPolicies,
        .read("group.list", [], GroupActions.list),
        .write("group.addMember", membership, GroupActions.addMember).reportingLostPolicies,
        .write("group.removeMember", membership, GroupActions.removeMember).reportingLostPolicies,
    ]

    private static let policies =
        (documents(PolicyDocument.self, DocumentType.words, ImportActions.policies) + reach(PolicyDocument.self))
        .map(\.reportingLostPolicies)
    private static let configurations =
        documents(AppConfigurationDocument.self, [DocumentType.configuration.word], ImportActions.configurations)
        + reach(AppConfigurationDocument.self)

    private static func documents<Document: TargetedDocument>(
        _: Document.Type, _ types: [String], _ load: @escaping Action.Body
    ) -> [Action] {
        let key = Document.kind.key
        let one = Action.Key.required(key, .name)
        return [
            .write(
                "\(key).import",
                [.required("document", .document), .optional("type", .oneOf(types)), .optional("replace", .flag)]
                    + ImportedReach.keys, load
            ).rehearsable,
            .read("\(key).list", [], DocumentActions<Document>.list),
            .read("\(key).show", [one], DocumentActions<Document>.show),
            .read(
                "\(key).export", [.optional(key, .name), .optional("import", .name)], DocumentActions<Document>.export),
            .write("\(key).remove", [one], DocumentActions<Document>.remove).rehearsable,
        ]
    }

    private static func reach<Document: TargetedDocument>(_: Document.Type) -> [Action] {
        let key = Document.kind.key
        let one = Action.Key.required(key, .name)
        let assignment = [
            one, .optional("group", .name), .optional("allUsers", .trueOnly), .optional("exclude", .flag),
        ]
        let target = [one, .optional("app", .app), .optional("allApps", .trueOnly)]
        // Documents may target app ids that no host can have, so this takes any text.
        let untarget = [one, .optional("app", .label), .optional("allApps", .trueOnly)]
        return [
            .write("\(key).assign", assignment, AssignmentActions<Document>.assign),
            .write("\(key).unassign", assignment, AssignmentActions<Document>.unassign),
            .write("\(key).target", target, AssignmentActions<Document>.target),
            .write("\(key).untarget", untarget, AssignmentActions<Document>.untarget),
        ]
    }

    private static let apps: [Action] = [
        .read("app.list", [], RegistrationActions.listApps),
        .read(
            "registration.list", [.optional("user", .name), .optional("app", .app)], RegistrationActions.list),
        .write("registration.remove", [.required("registration", .name)], RegistrationActions.remove),
    ]

    private static let wipes: [Action] = [
        .write(
            "wipe.request",
            [
                .required("user", .name), .optional("app", .app), .optional("deviceTag", .deviceTag),
                .optional("force", .flag),
            ], WipeActions.request),
        .read("wipe.list", [], WipeActions.list),
        .write("wipe.cancel", [.required("wipe", .number(1...Int64.max))], WipeActions.cancel),
        .read("device.list", [], DeviceActions.list),
        .write("device.block", [.required("deviceTag", .deviceTag)], DeviceActions.block),
        .write("device.unblock", [.required("deviceTag", .deviceTag)], DeviceActions.unblock),
    ]

    private static let faults: [Action] = [
        .write(
            "fault.set",
            [
                .required("fault", .oneOf(Fault.allCases.map(\.rawValue))),
                .optional("operation", .oneOf(AuthorityRequest.named.map(\.rawValue))),
                .optional("count", .number(1...1_000_000)),
            ], FaultActions.set),
        .write("fault.clear", [], FaultActions.clear),
        .read("fault.list", [], FaultActions.list),
    ]
}
