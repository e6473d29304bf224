import MAMSupport

/// Analyses policies that apply to nobody yet. Documents are exports, as the authority imports them.
public enum PolicyAnalysis {
    /// The maximum number of policies in a document, as for the authority.
    private static let maximumPolicies = 1000

    /// The reply of `mam_policy_properties`: every known property, and its status.
    public static var properties: JSON { PropertyTable.json }

    /// Returns the reply of `mam_policy_lint`: the findings for each policy of a document.
    public static func lint(_ document: JSON) throws(MAMError) -> JSON {
        let policies = try read(document, "policy_json").map { policy in
            [
                "id": .string(policy.id), "name": .string(policy.displayName),
                "platform": .string(policy.platform.name), "findings": .array(policy.lint.map(\.json)),
            ] as JSON
        }
        return ["policies": .array(policies)]
    }

    /// Returns the reply of `mam_policy_diff`: the changes for an account when the policies of one document replace those of
    /// another.
    public static func diff(from before: JSON, to after: JSON) throws(MAMError) -> JSON {
        let old = EffectivePolicy(merging: try read(before, "before_json"))
        let new = EffectivePolicy(merging: try read(after, "after_json"))
        let changes = old.changes(to: new)
        return [
            "verdict": .string(SettingChange.Verdict(changes).rawValue),
            "launch": .array(old.launchChanges(to: new).map(\.json)), "changes": .array(changes.map(\.json)),
        ]
    }

    /// Parses the policies of an export, or of {"document":export,"type":"ios"}. null and an empty array contain none. A policy
    /// without an id is identified by its number. App configurations are ignored.
    private static func read(_ json: JSON, _ argument: String) throws(MAMError) -> [PolicyDocument] {
        if json.isNull || json == [] { return [] }
        let entries: [DocumentExport.Entry]
        do throws(MAMError) {
            let (document, type) = try request(json)
            entries = try DocumentExport(document, noun: "policy", given: type, most: maximumPolicies).entries
        } catch {
            throw MAMError(
                error.code, "\(argument): \(error.message)", error.detail + [("argument", .string(argument))])
        }
        var policies: [PolicyDocument] = []
        for (index, entry) in entries.enumerated() where entry.type != .configuration {
            var id = ForeignText.bounded(entry.json["id"]?.string ?? "", limit: 256)
            if id.isEmpty { id = "\(index + 1)" }
            policies.append(try PolicyDocument(id: id, json: entry.json))
        }
        guard !policies.isEmpty else {
            throw .argument(argument, "there is no policy in the document: app configurations alone")
        }
        return policies
    }

    /// Splits the argument into an export and its type.
    private static func request(_ json: JSON) throws(MAMError) -> (document: JSON, type: DocumentType?) {
        guard let document = json["document"],
            (json.object ?? []).allSatisfy({ ["document", "type"].contains($0.key) })
        else { return (json, nil) }
        guard let given = json["type"] else { return (document, nil) }
        guard let type = given.string.flatMap(DocumentType.init(word:)) else {
            throw MAMError(.argument, "type must be one of \(DocumentType.words.joined(separator: ", "))")
        }
        return (document, type)
    }
}
