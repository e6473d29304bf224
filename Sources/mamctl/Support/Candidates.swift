/// Policies that are tried out. One without an id gets one, by which it is assigned and targeted: that of the policy that it
/// replaces, or a new one.
struct Candidates {
    /// The policies of the authority.
    let known: [JSON]
    /// The type that goes with the file.
    let type: ExportType?
    let isReplacing: Bool

    /// The export with ids, and the ids of its policies.
    func named(_ document: JSON) -> (JSON, ids: [JSON]) {
        let wrapped = document["value"]
        guard wrapped != .null else { return policies(document) }
        let (inside, ids) = policies(wrapped)
        return (Candidates.replacing("value", in: document, by: inside), ids)
    }

    private func policies(_ document: JSON) -> (JSON, ids: [JSON]) {
        guard case .array(let policies) = document else {
            let one = named(document, 1)
            return (one, Candidates.ids([one]))
        }
        let all = policies.enumerated().map { index, policy in
            // Two of a name and type without ids are refused by the import, which says why.
            let isDouble = policies.indices.contains { $0 != index && Candidates.areDoubles(policies[$0], policy) }
            return isDouble ? policy : named(policy, index + 1)
        }
        return (.array(all), Candidates.ids(all))
    }

    /// App configurations are imported with policies, and reach nobody in a rehearsal.
    private static func ids(_ documents: [JSON]) -> [JSON] {
        documents.filter { !($0["@odata.type"].string ?? "").hasSuffix("AppConfiguration") }.map { $0["id"] }
            .filter { $0 != .null }
    }

    private func named(_ policy: JSON, _ number: Int) -> JSON {
        guard policy["id"] == .null || policy["id"] == .string(""), case .object = policy else { return policy }
        let same = known.filter { isSame($0, policy) }
        guard let first = same.first else {
            return Candidates.replacing("id", in: policy, by: .string("candidate-\(number)"))
        }
        // Without --replace, and where several could be meant, the import itself is refused, and says why.
        return isReplacing && same.count == 1 ? Candidates.replacing("id", in: policy, by: first["id"]) : policy
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
        .object(object.members.filter { $0.key != key } + [JSON.Member(key: key, value: value)])
    }
}
