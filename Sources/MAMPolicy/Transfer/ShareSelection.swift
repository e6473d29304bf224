import MAMSupport

/// The reply of `mam_policy_filter_share_targets`: the targets that remain, and the reasons that the others do not.
public struct ShareSelection {
    /// The maximum number of targets in one call.
    public static let maximumTargets = 10_000

    private var remaining: [JSON] = []
    private var removed: [JSON] = []

    private let language: Language

    /// Creates an empty selection; `language` is that of messages for people.
    public init(in language: Language) { self.language = language }

    /// Parses `targets_json`.
    public static func targets(_ json: JSON) throws(MAMError) -> [AppQuery] {
        guard let elements = json.array else {
            throw MAMError(.json, "targets_json is a JSON \(json.typeName); it must be an array")
        }
        guard elements.count <= maximumTargets else {
            throw .argument("targets_json", "holds \(elements.count) targets; at most \(maximumTargets) are taken")
        }
        var targets: [AppQuery] = []
        for (index, element) in elements.enumerated() { targets.append(try AppQuery(target: element, index: index)) }
        return targets
    }

    /// Adds the next target.
    public mutating func add(_ target: AppQuery, _ decision: Decision) {
        let index = JSON.integer(Int64(remaining.count + removed.count))
        if let reason = decision.reason {
            removed.append(["index": index, "target": target.json, "reason": reason.json(in: language)])
        } else {
            remaining.append(["index": index, "target": target.json])
        }
    }

    /// The reply of `mam_policy_filter_share_targets`.
    public var json: JSON { ["remaining": .array(remaining), "removed": .array(removed)] }
}
