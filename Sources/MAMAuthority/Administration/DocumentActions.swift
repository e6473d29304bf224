import MAMSupport

/// `policy.*` and `config.*`, but for whom a document reaches.
enum DocumentActions<Document: TargetedDocument> {
    /// Most documents of one import: more is a mistake, and the reply would not fit anywhere.
    private static var maximumCount: Int { 1000 }
    private static var kind: DocumentKind { Document.kind }

    /// `*.import`: all of an export's documents, or none.
    static func load(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let export = call.arguments["document"] ?? .null
        let found = try Document.documents(in: export)
        guard found.count <= maximumCount else {
            throw .argument(
                "document", "holds \(found.count) \(kind.plural); at most \(maximumCount) are imported at once")
        }
        let id = try Store.newId()
        let importRow = try documents.keep(export, id: id, count: found.count)
        var seen: Set<Identity> = []
        var summaries: [JSON] = []
        var warnings: [JSON] = []
        for (index, json) in found.enumerated() {
            let id = try documentId(json, number: index + 1)
            guard seen.insert(id).inserted else {
                throw .argument("document", "holds two \(kind.plural) with the id \(Line.quoted(id.text))")
            }
            let document = try Document(id: id.text, json: json)
            let row = try documents.keep(document, id: id, importRow: importRow)
            let reach = DocumentReach(json)
            try documents.add(reach, to: row)
            summaries.append(try documents.summary(row))
            warnings += document.remarks + reach.warnings(of: document)
        }
        try checkDefaults(call)
        try documents.removeUnusedImports()
        return .object([
            ("import", .string(id)), (kind.plural, .array(summaries)), ("warnings", .array(warnings)),
        ])
    }

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let summaries = try documents.rows().map { (row) throws(MAMError) in try documents.summary(row) }
        return .object([(kind.plural, .array(summaries))])
    }

    static func show(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try find(call)
        let document = try documents.document(row)
        guard case .object(let summary) = try documents.summary(row, document) else { return .null }
        let warnings = document.remarks + DocumentReach(document.json).warnings(of: document)
        return .object(summary + [document.contents, ("warnings", .array(warnings))])
    }

    /// What was imported; with its wrapper where the document came alone.
    static func export(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        if try call.arguments.oneOf(kind.key, "import") == "import" {
            guard let document = try documents.imported(call.arguments.name("import")) else {
                throw call.notFound("import", "import")
            }
            return ["document": document]
        }
        return ["document": try documents.imported(find(call), call.arguments.text(kind.key) ?? "")]
    }

    static func remove(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try find(call)
        let last = try documents.summary(row)
        try documents.remove(row)
        return last
    }

    /// The row of the document that the request names: by its id, or by a display name that no other has.
    static func find(_ call: AdministrationCall) throws(MAMError) -> Int64 {
        let documents = call.documents(Document.self)
        let name = try call.arguments.name(kind.key)
        if let row = try documents.row(of: name) { return row }
        let found = try documents.rows(called: name)
        guard let first = found.first else { throw call.notFound(kind.key, kind.noun) }
        guard found.count == 1 else {
            throw .argument(
                kind.key, "\(found.count) \(kind.plural) are called \(Line.quoted(name.text)); name one by its id")
        }
        return first
    }

    private static func documentId(_ document: JSON, number: Int) throws(MAMError) -> Identity {
        switch document["id"] {
        case .none, .null, .string(""): return try Identity(try Store.newId())
        case .string(let text): return try Identity(text, argument: "document: the id of \(kind.noun) \(number)")
        case .some(let other):
            throw MAMError(
                .json, "document: the id of \(kind.noun) \(number) is a JSON \(other.typeName); it must be a string",
                [("argument", "document")])
        }
    }

    private static func checkDefaults(_ call: AdministrationCall) throws(MAMError) {
        guard let most = kind.mostDefaults else { return }
        let ids = try call.documents(Document.self).defaultIds()
        guard ids.count > most else { return }
        throw call.already(
            "document",
            "there would be two tenant defaults, the \(kind.plural) "
                + "\(Line.quoted(ids[0])) and \(Line.quoted(ids[1])); remove one first, or leave its mark out")
    }
}
