import MAMPolicy
import MAMSupport

/// `mam_policy_explain`: what a user gets in an app, where each value comes from, and why each document reaches the user
/// or does not. It answers what the next check-in would, by the same question.
public enum PolicyExplanation {
    private static let action = Action.read("explain", [.required("user", .name), .required("app", .app)], explain)

    /// Explain by the authority in the file `path`, which is only read.
    public static func make(path: String, request: JSON, now: Instant) throws(MAMError) -> JSON {
        let arguments = try action.arguments(ofRequest: request)
        let file = AuthorityFile(path: path)
        return try ForkGate.shared.pass { () throws(MAMError) in
            let store = try file.openToLook()
            return try store.database.snapshot { () throws(MAMError) in
                try action.body(AdministrationCall(store: store, file: file, arguments: arguments, now: now))
            }
        }
    }

    private static func explain(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let (store, user) = (call.store, try UserActions.find(call))
        let app = AppFacts(id: call.arguments.text("app") ?? "")
        let standing = try Standing(of: user, app: app, in: store)
        let effective = standing.refusal == nil ? standing.effective : nil
        let isAppKnown =
            try store.database.first("SELECT 1 FROM apps WHERE id = ?", .text(app.id)) { _ in true } ?? false
        return [
            "user": [
                "accountId": .string(user.accountId), "upn": .string(user.upn), "tenantId": .string(user.tenantId),
            ],
            "app": .string(app.id), "appKnown": .bool(isAppKnown),
            "mayEnroll": .bool(try store.isTargeted(user, app: app) && standing.isWelcome),
            "checkIn": standing.json, "effective": effective?.json(accountId: user.accountId) ?? .null,
            "disagreements": .array((effective?.disagreements ?? []).map(\.json)),
            "warnings": .array((effective?.warnings ?? []).map(\.json)),
            "policies": try told(store.policies, standing.policies.map(\.id), user, app, standing),
            "configurations": try told(store.configurations, standing.configurations.map(\.id), user, app, standing),
        ]
    }

    private static func told<Document: TargetedDocument>(
        _ documents: DocumentStore<Document>, _ ids: [String], _ user: User, _ app: AppFacts, _ standing: Standing
    ) throws(MAMError) -> JSON {
        let delivered = Set(ids.map { Array($0.utf8) })
        let told = try documents.reaches(user, app: app).map { (row, reach) throws(MAMError) -> JSON in
            let document = try documents.document(row)
            let isDelivered = delivered.contains(Array(document.id.utf8))
            let why = reach.why(isDelivered: isDelivered, isRefused: standing.refusal != nil)
            return [
                "id": .string(document.id), "displayName": .string(document.displayName),
                "delivered": .bool(isDelivered), "why": .strings(why.map(\.rawValue)),
                "groups": .strings(reach.groups), "excludedBy": .strings(reach.excludedBy),
                "allUsers": .bool(reach.allUsers), "targetsApp": .bool(reach.targetsApp),
                "allApps": .bool(reach.allApps), "message": .string(reach.words(why)),
            ]
        }
        return .array(told)
    }
}

extension Action {
    /// The values of a request that names no action.
    func arguments(ofRequest request: JSON) throws(MAMError) -> Arguments {
        guard let members = request.object else {
            throw MAMError(.json, "the request is a JSON \(request.typeName); it must be an object")
        }
        guard request["action"] == nil else {
            throw MAMError(.json, "\(name): \"action\" is not a key of this request", [("argument", "action")])
        }
        return try arguments(members)
    }
}
