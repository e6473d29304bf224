import MAMSupport

/// An answer, with the reason where it is a refusal.
public struct Decision: Sendable {
    /// Whether it may be done; for requirements false means required.
    public let allowed: Bool
    /// Why not; nil where it is allowed.
    public let reason: Reason?

    /// Allowed where there is no reason against it.
    init(_ reason: Reason?) {
        allowed = reason == nil
        self.reason = reason
    }

    static let allowed = Decision(nil)

    /// The shape of `mam_policy_check`.
    public func json(isRequirement: Bool) -> JSON {
        var members: [(key: String, value: JSON)] = [
            isRequirement ? ("required", .bool(!allowed)) : ("allowed", .bool(allowed))
        ]
        if let reason { members.append(("reason", reason.json)) }
        return .object(members)
    }
}
