import MAMValues

/// Replies of mam_policy_check.
extension JSON {
    /// The decision in one or two words.
    var decision: String {
        if self["required"] != .null { return self["required"] == .bool(true) ? "required" : "not required" }
        return isRestriction ? "refused" : "allowed"
    }

    /// Refused or required; also true for a malformed reply.
    var isRestriction: Bool { self["allowed"] != .bool(true) && self["required"] != .bool(false) }

    /// The message for the person who uses the host.
    var userMessage: String { self["reason"]["userMessage"].string ?? decision }

    /// The reason with the setting and policy that decided.
    var reasonInWords: String {
        let reason = self["reason"]
        guard let message = reason["message"].string else { return "\(decision), and no reason was given" }
        guard let setting = reason["setting"].string, !message.contains(setting) else { return message }
        let policy = reason["policyName"].string ?? reason["policyId"].string
        let origin = policy.map { ", policy \($0)" } ?? ""
        return "\(message) (\(setting) = \(reason["value"].text)\(origin))"
    }
}
