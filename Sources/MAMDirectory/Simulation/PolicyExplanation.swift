import MAMPolicy
import MAMSupport

/// `mam_policy_explain`: the policy that the next check-in of a user in an app would deliver, the source of each value, and why
/// each document reaches the user or does not.
public enum PolicyExplanation {
    private static let action = Action.read("explain", [.required("user", .name), .required("app", .app)], explain)

    /// The arguments of a request.
    package static func arguments(of request: JSON) throws(MAMError) -> Arguments {
        try action.arguments(ofRequest: request)
    }

    /// Explain with an open directory.
    package static func make(
        _ store: Store, at place: any DirectoryPlace, _ arguments: Arguments, now: Instant
    ) throws(MAMError) -> JSON {
        try store.database.snapshot { () throws(MAMError) in
            try action.body(AdministrationCall(store: store, place: place, arguments: arguments, now: now))
        }
    }

    private static func explain(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let (store, user) = (call.store, try UserActions.find(call))
        let app = AppFacts(id: call.arguments.text("app") ?? "")
        let checkIn = try SimulatedCheckIn(of: user, app: app, in: store)
        let effective = checkIn.refusal == nil ? checkIn.effective : nil
        let isAppKnown =
            try store.database.first("SELECT 1 FROM apps WHERE id = ?", .text(app.id)) { _ in true } ?? false
        return [
            "user": [
                "accountId": .string(user.accountId), "upn": .string(user.upn), "tenantId": .string(user.tenantId),
            ],
            "app": .string(app.id), "appKnown": .bool(isAppKnown),
            "mayEnroll": .bool(try store.isTargeted(user, app: app) && checkIn.allowsEnrollment),
            "checkIn": checkIn.json, "effective": effective?.json(accountId: user.accountId) ?? .null,
            "decisions": .array(checkIn.decisions),
            "disagreements": .array((effective?.disagreements ?? []).map(\.json)),
            "warnings": .array((effective?.warnings ?? []).map(\.json)),
            "policies": try explain(store.policies, delivered: checkIn.policies.map(\.id), user, app, checkIn),
            "configurations": try explain(
                store.configurations, delivered: checkIn.configurations.map(\.id), user, app, checkIn),
        ]
    }

    private static func explain<Document: TargetedDocument>(
        _ documents: DocumentStore<Document>, delivered ids: [String], _ user: User, _ app: AppFacts,
        _ checkIn: SimulatedCheckIn
    ) throws(MAMError) -> JSON {
        let delivered = Set(ids.map { Array($0.utf8) })
        let explained = try documents.explanations(for: user, app: app).map {
            (row, targeting) throws(MAMError) -> JSON in
            let document = try documents.document(row)
            let isDelivered = delivered.contains(Array(document.id.utf8))
            let reasons = targeting.reasons(isDelivered: isDelivered, isRefused: checkIn.refusal != nil)
            return [
                "id": .string(document.id), "displayName": .string(document.displayName),
                "delivered": .bool(isDelivered), "why": .strings(reasons.map(\.rawValue)),
                "groups": .strings(targeting.groups), "excludedBy": .strings(targeting.excludedBy),
                "allUsers": .bool(targeting.allUsers), "targetsApp": .bool(targeting.targetsApp),
                "allApps": .bool(targeting.allApps), "message": .string(targeting.message(reasons)),
            ]
        }
        return .array(explained)
    }
}

extension Action {
    /// The arguments of a request for this action alone, which has no "action" key.
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
