import MAMSupport

/// An answer about the clipboard, and how many characters may pass.
public struct ClipboardDecision: Sendable {
    /// Whether all that was asked about may pass, and why not.
    public let decision: Decision
    /// Most characters that may; nil for any number.
    public let limit: Int?

    /// The shape of `mam_policy_clipboard`.
    public var json: JSON {
        var members: [(key: String, value: JSON)] = [
            ("allowed", .bool(decision.allowed)), ("limit", limit.map { .integer(Int64($0)) } ?? .null),
        ]
        if let reason = decision.reason { members.append(("reason", reason.json)) }
        return .object(members)
    }
}
