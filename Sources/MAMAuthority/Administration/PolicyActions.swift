import MAMPolicy
import MAMSupport

/// `policy.*`, but for whom a policy reaches.
enum PolicyActions {
    /// Most policies of one document: more is a mistake, and the reply would not fit anywhere.
    private static let maximumPolicies = 1000

    /// `policy.import`: all of a document's policies, or none.
    static func load(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let document = call.arguments["document"] ?? .null
        let found = try PolicyDocument.policies(in: document)
        guard found.count <= maximumPolicies else {
            throw .argument(
                "document", "holds \(found.count) policies; at most \(maximumPolicies) are imported at once")
        }
        let id = try Store.newId()
        try call.database.run(
            "INSERT INTO imports (id, id_key, policies, document) VALUES (?, ?, ?, ?)", .text(id),
            .blob(Identity.fold(id.utf8)), .integer(Int64(found.count)), .text(document.text))
        let importRow = call.database.lastInsertedRow
        var seen: Set<Identity> = []
        var policies: [JSON] = []
        var warnings: [JSON] = []
        for (index, json) in found.enumerated() {
            let id = try policyId(json, number: index + 1)
            guard seen.insert(id).inserted else {
                throw .argument("document", "holds two policies with the id \(Line.quoted(id.text))")
            }
            let policy = try PolicyDocument(id: id.text, json: json)
            let row = try call.store.keep(policy, id: id, importRow: importRow)
            let reach = DocumentReach(json)
            try call.store.add(reach, toPolicy: row)
            policies.append(try call.store.summary(row))
            warnings += policy.warnings.map(\.json) + reach.warnings(of: policy)
        }
        try call.store.removeUnusedImports()
        return ["import": .string(id), "policies": .array(policies), "warnings": .array(warnings)]
    }

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let rows = try call.database.all("SELECT row FROM policies ORDER BY row") { $0.integer(0) }
        return ["policies": .array(try rows.map { (row) throws(MAMError) in try call.store.summary(row) })]
    }

    static func show(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let row = try find(call)
        let policy = try call.store.policy(row)
        guard case .object(let summary) = try call.store.summary(row, policy) else { return .null }
        let warnings = policy.warnings.map(\.json) + DocumentReach(policy.json).warnings(of: policy)
        return .object(
            summary + [("properties", .array(policy.properties.map(\.json))), ("warnings", .array(warnings))])
    }

    /// What was imported; with its wrapper where the policy came alone.
    static func export(_ call: AdministrationCall) throws(MAMError) -> JSON {
        if try call.arguments.oneOf("policy", "import") == "import" {
            let name = try call.arguments.name("import")
            let text = try call.database.first("SELECT document FROM imports WHERE id_key = ?", .blob(name.folded)) {
                $0.text(0) ?? ""
            }
            guard let text else { throw call.notFound("import", "import") }
            return ["document": try Store.document(text, of: "import \(name.text)")]
        }
        let text = try call.database.first(
            """
            SELECT CASE i.policies WHEN 1 THEN i.document ELSE p.document END
            FROM policies p JOIN imports i ON i.row = p.import_row WHERE p.row = ?
            """, .integer(try find(call))
        ) { $0.text(0) ?? "" }
        return ["document": try Store.document(text ?? "", of: "policy \(call.arguments.text("policy") ?? "")")]
    }

    static func remove(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let row = try find(call)
        let last = try call.store.summary(row)
        try call.database.run("DELETE FROM policies WHERE row = ?", .integer(row))
        try call.store.removeUnusedImports()
        return last
    }

    /// The row of the policy that "policy" names.
    static func find(_ call: AdministrationCall) throws(MAMError) -> Int64 {
        let name = try call.arguments.name("policy")
        let row = try call.database.first("SELECT row FROM policies WHERE id_key = ?", .blob(name.folded)) {
            $0.integer(0)
        }
        guard let row else { throw call.notFound("policy", "policy") }
        return row
    }

    private static func policyId(_ policy: JSON, number: Int) throws(MAMError) -> Identity {
        switch policy["id"] {
        case .none, .null, .string(""): return try Identity(try Store.newId())
        case .string(let text): return try Identity(text, argument: "document: the id of policy \(number)")
        case .some(let other):
            throw MAMError(
                .json, "document: the id of policy \(number) is a JSON \(other.typeName); it must be a string",
                [("argument", "document")])
        }
    }
}
