import MAMSupport

/// What can be said about policies before anybody is under them. Documents are exports, as the authority imports them.
public enum Rehearsal {
    /// Most policies in one document, as the authority takes.
    private static let maximumPolicies = 1000

    /// `mam_policy_properties`: every property of policies that is known, and what becomes of it.
    public static var properties: JSON { PropertyTable.json }

    /// `mam_policy_lint`: the findings for each policy of a document.
    public static func lint(_ document: JSON) throws(MAMError) -> JSON {
        let policies = try read(document, "policy_json").map { policy in
            [
                "id": .string(policy.id), "name": .string(policy.displayName),
                "platform": .string(policy.platform.name), "findings": .array(policy.lint.map(\.json)),
            ] as JSON
        }
        return ["policies": .array(policies)]
    }

    /// `mam_policy_diff`: what changes for whoever was under all policies of one document and comes under all of another.
    public static func diff(from before: JSON, to after: JSON) throws(MAMError) -> JSON {
        let old = EffectivePolicy(merging: try read(before, "before_json"))
        let new = EffectivePolicy(merging: try read(after, "after_json"))
        let changes = old.changes(to: new)
        return [
            "verdict": .string(SettingChange.Verdict(changes).rawValue), "changes": .array(changes.map(\.json)),
        ]
    }

    /// The policies of a document; null and an empty array hold none. One without an id is called by its number.
    private static func read(_ document: JSON, _ argument: String) throws(MAMError) -> [PolicyDocument] {
        if document.isNull || document == [] { return [] }
        let found: [JSON]
        do throws(MAMError) { found = try PolicyDocument.policies(in: document) } catch {
            throw MAMError(error.code, "\(argument): \(error.message)", [("argument", .string(argument))])
        }
        guard found.count <= maximumPolicies else {
            throw .argument(argument, "holds \(found.count) policies; at most \(maximumPolicies) are read")
        }
        var policies: [PolicyDocument] = []
        for (index, json) in found.enumerated() {
            var id = Line.bounded(json["id"]?.string ?? "", limit: 256)
            if id.isEmpty { id = "\(index + 1)" }
            policies.append(try PolicyDocument(id: id, json: json))
        }
        return policies
    }
}
