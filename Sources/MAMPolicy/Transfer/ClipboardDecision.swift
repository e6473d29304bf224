import MAMSupport

/// An answer about the clipboard, with the number of characters that may pass.
public struct ClipboardDecision: Sendable {
    /// Whether the requested number of characters may pass.
    public let decision: Decision
    /// The maximum number of characters that may pass; nil for no limit.
    public let limit: Int?

    /// The reply of `mam_policy_clipboard`.
    public func json(in language: Language) -> JSON {
        var members: [(key: String, value: JSON)] = [
            ("allowed", .bool(decision.allowed)), ("limit", limit.map { .integer(Int64($0)) } ?? .null),
        ]
        if let reason = decision.reason { members.append(("reason", reason.json(in: language))) }
        return .object(members)
    }
}
