import MAMValues

/// Gives ids to policies of a simulated import that have none, so that later actions can name them: the id of the policy that is
/// replaced, or a new one.
struct PolicyIdAssigner {
    /// The policies of the authority.
    let known: [JSON]
    /// The type that `--type` states for the file.
    let type: ExportType?
    let isReplacing: Bool

    /// The export with ids, and the ids of its policies.
    func named(_ document: JSON) -> (JSON, ids: [JSON]) {
        let wrapped = document["value"]
        guard wrapped != .null else { return policies(document) }
        let (inside, ids) = policies(wrapped)
        return (PolicyIdAssigner.replacing("value", in: document, by: inside), ids)
    }

    private func policies(_ document: JSON) -> (JSON, ids: [JSON]) {
        guard case .array(let policies) = document else {
            let one = named(document, 1)
            return (one, PolicyIdAssigner.ids([one]))
        }
        let all = policies.enumerated().map { index, policy in
            // The import refuses two documents with the same name and type and without ids; leave the message to it.
            let isDouble = policies.indices.contains {
                $0 != index && PolicyIdAssigner.areDoubles(policies[$0], policy)
            }
            return isDouble ? policy : named(policy, index + 1)
        }
        return (.array(all), PolicyIdAssigner.ids(all))
    }

    /// App configurations are imported with policies, but simulations do not assign them.
    private static func ids(_ documents: [JSON]) -> [JSON] {
        documents.filter { !($0["@odata.type"].string ?? "").hasSuffix("AppConfiguration") }.map { $0["id"] }
            .filter { $0 != .null }
    }

    private func named(_ policy: JSON, _ number: Int) -> JSON {
        guard policy["id"] == .null || policy["id"] == .string(""), case .object = policy else { return policy }
        let same = known.filter { isSame($0, policy) }
        guard let first = same.first else {
            return PolicyIdAssigner.replacing("id", in: policy, by: .string("candidate-\(number)"))
        }
        // Without --replace, or where several policies match, the import refuses the document; leave the message to it.
        return isReplacing && same.count == 1 ? PolicyIdAssigner.replacing("id", in: policy, by: first["id"]) : policy
    }

    private static func areDoubles(_ one: JSON, _ other: JSON) -> Bool {
        func lacksId(_ policy: JSON) -> Bool { policy["id"] == .null || policy["id"] == .string("") }
        guard lacksId(one), lacksId(other), let name = one["displayName"].string, !name.isEmpty else { return false }
        return name.lowercased() == other["displayName"].string?.lowercased()
            && one["@odata.type"] == other["@odata.type"]
    }

    private func isSame(_ one: JSON, _ policy: JSON) -> Bool {
        guard let name = policy["displayName"].string, !name.isEmpty,
            one["displayName"].string?.lowercased() == name.lowercased()
        else { return false }
        if let stated = policy["@odata.type"].string { return one["type"] == .string(stated) }
        return type.map { one["platform"] == .string($0.rawValue) } ?? true
    }

    private static func replacing(_ key: String, in object: JSON, by value: JSON) -> JSON {
        .object(object.members.filter { $0.key != key } + [(key, value)])
    }
}
