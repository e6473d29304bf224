import MAMSupport

/// An answer about a link, with the links that may be opened instead.
public struct LinkDecision: Sendable {
    /// Whether the link may be opened as it is.
    public let decision: Decision
    /// The links that may be opened instead, in order of preference: the host opens the first that an app handles. Empty if
    /// there are none, or if the link itself may be opened.
    public let instead: [[UInt8]]

    static let allowed = LinkDecision(decision: .allowed, instead: [])

    /// The reply of `mam_policy_url`.
    public func json(in language: Language) -> JSON {
        var members: [(key: String, value: JSON)] = [("allowed", .bool(decision.allowed))]
        if let reason = decision.reason {
            members.append(("instead", .array(instead.map { .string(String(decoding: $0, as: UTF8.self)) })))
            members.append(("reason", reason.json(in: language)))
        }
        return .object(members)
    }
}
