import MAMSupport

/// `policy.*` and `config.*`, except imports, assignments and targets.
enum DocumentActions<Document: TargetedDocument> {
    private static var kind: DocumentKind { Document.kind }

    static func list(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let summaries = try documents.rows().map { (row) throws(MAMError) in try documents.summary(row) }
        return .object([(kind.plural, .array(summaries))])
    }

    static func show(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        let row = try find(call)
        let document = try documents.document(row)
        let summary = try documents.summary(row, document)
        let more = [document.contents, ("warnings", .array(document.warnings(in: summary)))]
        return .object((summary.object ?? []) + more)
    }

    /// Returns the document as it was imported, with its wrapper where it was imported alone.
    static func export(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let documents = call.documents(Document.self)
        if try call.arguments.oneOf(kind.key, "import") == "import" {
            guard let document = try documents.imported(call.arguments.name("import")) else {
                throw try call.notFound("import", "import")
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

    /// The row of the document that the request names, by its id or by a unique display name.
    static func find(_ call: AdministrationCall) throws(MAMError) -> Int64 {
        let documents = call.documents(Document.self)
        let name = try call.arguments.name(kind.key)
        if let row = try documents.row(of: name) { return row }
        let found = try documents.rows(displayName: name)
        guard let first = found.first else {
            throw try call.notFound(kind.key, kind.noun) { () throws(MAMError) in
                let titles = try documents.rows().map { (row) throws(MAMError) in
                    try documents.document(row).displayName
                }
                return titles + (try call.names("SELECT id FROM \(kind.plural) ORDER BY row"))
            }
        }
        guard found.count == 1 else {
            throw .argument(
                kind.key,
                "\(found.count) \(kind.plural) are called \(ForeignText.quoted(name.text)); name one by its id")
        }
        return first
    }
}
