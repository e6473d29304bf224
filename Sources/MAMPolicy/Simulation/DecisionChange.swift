import MAMSupport

/// The difference between two policies' answers to one request.
public struct DecisionChange: Sendable {
    /// The direction of a change.
    public enum Direction: String, Sendable, CaseIterable {
        case stricter, looser
        /// The request stays refused, or required, for another reason.
        case reason
    }

    /// The request.
    public let request: SimulatedRequest
    /// The direction of the change.
    public let direction: Direction
    private let before, after: Decision

    /// Compares two answers; nil if they are equal.
    public init?(_ request: SimulatedRequest, from before: Decision, to after: Decision) {
        guard before.allowed != after.allowed || before.reason != after.reason else { return nil }
        self.request = request
        self.before = before
        self.after = after
        direction = before.allowed == after.allowed ? .reason : before.allowed ? .stricter : .looser
    }

    /// An element of "decisions" in the reply of `mam_policy_simulate`.
    public func json(in language: Language) -> JSON {
        let isRequirement = request.action.isRequirement
        return [
            "request": request.json, "before": before.json(isRequirement: isRequirement, in: language),
            "after": after.json(isRequirement: isRequirement, in: language), "change": .string(direction.rawValue),
            "message": .string(ForeignText.bounded(message(isRequirement))),
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
