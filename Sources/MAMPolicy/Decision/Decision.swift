import MAMSupport

/// An answer, with the reason if it is a refusal.
public struct Decision: Sendable {
    /// Whether the action is allowed; for requirements, false means required.
    public let allowed: Bool
    /// The reason for a refusal; nil if the action is allowed.
    public let reason: Reason?

    /// Allows unless there is a reason against it.
    init(_ reason: Reason?) {
        allowed = reason == nil
        self.reason = reason
    }

    static let allowed = Decision(nil)

    /// The reply of `mam_policy_check`.
    public func json(isRequirement: Bool, in language: Language) -> JSON {
        var members: [(key: String, value: JSON)] = [
            isRequirement ? ("required", .bool(!allowed)) : ("allowed", .bool(allowed))
        ]
        if let reason { members.append(("reason", reason.json(in: language))) }
        return .object(members)
    }
}
