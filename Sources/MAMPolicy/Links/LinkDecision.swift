import MAMSupport

/// An answer about a link, and what may be opened in its place.
public struct LinkDecision: Sendable {
    /// Whether it may be opened as it is, and why not.
    public let decision: Decision
    /// What may be opened instead, the best first; the first that an app is there for. Empty where nothing may, or the link
    /// itself.
    public let instead: [[UInt8]]

    static let allowed = LinkDecision(decision: .allowed, instead: [])

    /// The shape of `mam_policy_url`.
    public var json: JSON {
        var members: [(key: String, value: JSON)] = [("allowed", .bool(decision.allowed))]
        if let reason = decision.reason {
            members.append(("instead", .array(instead.map { .string(String(decoding: $0, as: UTF8.self)) })))
            members.append(("reason", reason.json))
        }
        return .object(members)
    }
}
