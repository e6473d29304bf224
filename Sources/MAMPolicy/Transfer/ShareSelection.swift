import MAMSupport

/// Which of many targets remain, and why the others do not: `mam_policy_filter_share_targets`.
public struct ShareSelection {
    /// Most targets at once.
    public static let mostTargets = 10_000

    private var remaining: [JSON] = []
    private var removed: [JSON] = []

    /// Nothing yet.
    public init() {}

    /// Read targets.
    public static func targets(_ json: JSON) throws(MAMError) -> [AppQuery] {
        guard let elements = json.array else {
            throw MAMError(.json, "targets_json is a JSON \(json.typeName); it must be an array")
        }
        guard elements.count <= mostTargets else {
            throw .argument("targets_json", "holds \(elements.count) targets; at most \(mostTargets) are taken")
        }
        var targets: [AppQuery] = []
        for (index, element) in elements.enumerated() { targets.append(try AppQuery(target: element, index: index)) }
        return targets
    }

    /// Add the next target.
    public mutating func add(_ target: AppQuery, _ decision: Decision) {
        let index = JSON.integer(Int64(remaining.count + removed.count))
        if let reason = decision.reason {
            removed.append(["index": index, "target": target.json, "reason": reason.json])
        } else {
            remaining.append(["index": index, "target": target.json])
        }
    }

    /// The shape of `mam_policy_filter_share_targets`.
    public var json: JSON { ["remaining": .array(remaining), "removed": .array(removed)] }
}
