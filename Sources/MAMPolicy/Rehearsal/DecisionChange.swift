import MAMSupport

/// How the answer to one request differs between two policies.
public struct DecisionChange: Sendable {
    /// Which way.
    public enum Direction: String, Sendable, CaseIterable {
        case stricter, looser
        /// It stays refused, or required, for another reason.
        case reason
    }

    /// The request.
    public let request: RehearsedRequest
    /// Which way.
    public let direction: Direction
    private let before, after: Decision

    /// Compare two answers; nil where they are the same.
    public init?(_ request: RehearsedRequest, from before: Decision, to after: Decision) {
        guard before.allowed != after.allowed || before.reason != after.reason else { return nil }
        self.request = request
        self.before = before
        self.after = after
        direction = before.allowed == after.allowed ? .reason : before.allowed ? .stricter : .looser
    }

    /// The shape of `mam_policy_simulate`'s decisions.
    public var json: JSON {
        let isRequirement = request.question.isRequirement
        return [
            "request": request.json, "before": before.json(isRequirement: isRequirement),
            "after": after.json(isRequirement: isRequirement), "change": .string(direction.rawValue),
            "message": .string(Line.bounded(message(isRequirement))),
        ]
    }

    private func message(_ isRequirement: Bool) -> String {
        func word(_ allowed: Bool) -> String {
            isRequirement ? (allowed ? "not required" : "required") : allowed ? "allowed" : "refused"
        }
        let what = request.words
        return switch direction {
        case .reason: "\(what): stays \(word(after.allowed)), for another reason: \(after.reason?.message ?? "")"
        case .stricter:
            "\(what): \(word(before.allowed)) becomes \(word(after.allowed)): stricter. \(after.reason?.message ?? "")"
        case .looser:
            "\(what): \(word(before.allowed)) becomes \(word(after.allowed)): looser. Before: \(before.reason?.message ?? "")"
        }
    }
}
