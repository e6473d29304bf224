import MAMPolicy
import MAMSupport

/// `policy.import` and `config.import`: import all documents of an export, or none.
enum ImportActions {
    /// Imports policies and the app configurations among them: Graph's managedAppPolicies has both.
    static func policies(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let export = try read(call, PolicyDocument.kind)
        let (policies, of) = try save(export, PolicyDocument.self, call) { $0 != .configuration }
        let (configurations, more) = try save(export, AppConfigurationDocument.self, call) { $0 == .configuration }
        return [
            "import": .string(export.id), "policies": .array(policies), "configurations": .array(configurations),
            "warnings": .array(of + more),
        ]
    }

    /// Imports app configurations alone.
    static func configurations(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let export = try read(call, AppConfigurationDocument.kind)
        for (index, entry) in export.entries.enumerated() where entry.type != .configuration {
            throw .argument(
                "document",
                "configuration \(index + 1) of the document is a \(ForeignText.quoted(entry.json["@odata.type"]?.string ?? "")); "
                    + "config.import takes a \"#microsoft.graph.targetedManagedAppConfiguration\" alone, "
                    + "policy.import takes both")
        }
        let (configurations, warnings) = try save(export, AppConfigurationDocument.self, call) { _ in true }
        return [
            "import": .string(export.id), "configurations": .array(configurations), "warnings": .array(warnings),
        ]
    }

    /// The documents of an export and the id of the import.
    private struct Export {
        let id: String
        let document: JSON
        let entries: [DocumentExport.Entry]
    }

    private static func read(_ call: AdministrationCall, _ kind: DocumentKind) throws(MAMError) -> Export {
        let document = call.arguments["document"] ?? .null
        do throws(MAMError) {
            let given = call.arguments.text("type").flatMap(DocumentType.init(word:))
            let entries = try DocumentExport(document, noun: kind.noun, given: given).entries
            return Export(id: try Store.newId(), document: document, entries: entries)
        } catch {
            throw MAMError(error.code, "document: \(error.message)", error.detail + [("argument", "document")])
        }
    }

    /// Save the documents of one kind; returns their summaries and warnings.
    private static func save<Document: TargetedDocument>(
        _ export: Export, _: Document.Type, _ call: AdministrationCall, where isIncluded: (DocumentType) -> Bool
    ) throws(MAMError) -> (summaries: [JSON], warnings: [JSON]) {
        let documents = call.documents(Document.self)
        let included = export.entries.enumerated().filter { isIncluded($0.element.type) }
        guard !included.isEmpty else { return ([], []) }
        var known = try ExistingDocuments<Document>(documents, isReplacing: call.arguments.flag("replace") ?? false)
        var seen: Set<Identity> = []
        var summaries: [JSON] = []
        var warnings: [JSON] = []
        let reach = ImportedReach(call)
        let importRow = try documents.saveImport(export.document, id: export.id, count: export.entries.count)
        for (index, entry) in included {
            let id = try id(of: entry.json, number: index + 1, &known, call)
            guard seen.insert(id).inserted else {
                throw .argument(
                    "document", "holds two \(Document.kind.plural) with the id \(ForeignText.quoted(id.text))")
            }
            try known.checkType(of: entry.json, id, call)
            let document = try Document(id: id.text, json: entry.json)
            let former = try documents.row(of: id).map { (row) throws(MAMError) in try documents.document(row) }
            let row = try documents.save(document, id: id, importRow: importRow)
            try documents.add(DocumentReach(entry.json), to: row)
            let notes = try reach.add(to: id, Document.self)
            let summary = try documents.summary(row, document).noting(notes)
            summaries.append(summary)
            warnings += document.warnings(in: summary)
            if let former {
                warnings += [document.warning(replacing: former), document.warning(loosening: former)].compactMap(
                    \.self)
            }
            if former == nil, let warning = try known.warning(replacedBy: document) { warnings.append(warning) }
        }
        try checkTenantDefaults(call, Document.self)
        try documents.removeUnusedImports()
        return (summaries, warnings)
    }

    /// The id that a document states, else that of the document that it replaces, else a new one.
    private static func id<Document>(
        of json: JSON, number: Int, _ known: inout ExistingDocuments<Document>, _ call: AdministrationCall
    ) throws(MAMError) -> Identity {
        let noun = Document.kind.noun
        switch json["id"] {
        case .none, .null, .string(""):
            if let id = try known.id(of: json, call) { return id }
            return try Identity(try Store.newId())
        case .string(let text): return try Identity(text, argument: "document: the id of \(noun) \(number)")
        case .some(let other):
            throw MAMError(
                .json, "document: the id of \(noun) \(number) is a JSON \(other.typeName); it must be a string",
                [("argument", "document")])
        }
    }

    private static func checkTenantDefaults<Document: TargetedDocument>(
        _ call: AdministrationCall, _: Document.Type
    ) throws(MAMError) {
        guard let most = Document.kind.maximumDefaults else { return }
        let ids = try call.documents(Document.self).defaultIds()
        guard ids.count > most else { return }
        throw call.already(
            "document",
            "there would be two tenant defaults, the \(Document.kind.plural) "
                + "\(ForeignText.quoted(ids[0])) and \(ForeignText.quoted(ids[1])); remove one first, or leave its mark out"
        )
    }
}

/// The documents that existed before an import. A document without an id would duplicate the one with its name and type; one of
/// another type under the same id would reach other users.
private struct ExistingDocuments<Document: TargetedDocument> {
    private let store: DocumentStore<Document>
    private let isReplacing: Bool
    /// Loaded at once where documents are replaced, else for the first document without an id.
    private var known: [Document]?
    /// Documents of this import that have a name and no id.
    private var withoutId: [Document] = []

    init(_ store: DocumentStore<Document>, isReplacing: Bool) throws(MAMError) {
        self.store = store
        self.isReplacing = isReplacing
        if isReplacing { _ = try all() }
    }

    /// The id of the document that one without an id replaces; nil where none has its name and type.
    mutating func id(of json: JSON, _ call: AdministrationCall) throws(MAMError) -> Identity? {
        guard let name = json["displayName"]?.string, !name.isEmpty else { return nil }
        let noun = Document.kind.noun
        let known = try all()
        func isSame(_ other: Document) -> Bool {
            Identity.fold(other.displayName) == Identity.fold(name) && other.hasType(of: json)
        }
        guard !withoutId.contains(where: isSame) else {
            throw .argument(
                "document",
                "holds two \(Document.kind.plural) called \(ForeignText.quoted(name)) without an id; give each an id")
        }
        withoutId.append(try Document(id: "", json: json))
        let same = known.filter(isSame)
        guard let first = same.first else { return nil }
        let words =
            "a \(noun) called \(ForeignText.quoted(name)) is here already, with the id \(ForeignText.quoted(first.id))"
        guard isReplacing else {
            throw call.already(
                "document",
                "\(words); to replace it give --replace (\"replace\":true), to keep both give the new one an id")
        }
        guard same.count == 1 else {
            throw .argument(
                "replace",
                "\(same.count) \(Document.kind.plural) are called \(ForeignText.quoted(name)); give the document an id")
        }
        return try Identity(first.id, argument: "document")
    }

    /// A warning where the request is to replace documents and one replaces none; nil otherwise, and for the first documents.
    mutating func warning(replacedBy document: Document) throws(MAMError) -> JSON? {
        let noun = Document.kind.noun
        let known = try all()
        guard isReplacing, !known.isEmpty else { return nil }
        let isNamesake = known.contains {
            Identity.fold($0.displayName) == Identity.fold(document.displayName) && !$0.hasType(of: document.json)
        }
        let names = isNamesake ? [] : known.map { Array($0.displayName.utf8) }
        let nearest = NearestName.find(Array(document.displayName.utf8), among: names).map {
            String(decoding: $0, as: UTF8.self)
        }
        let why =
            isNamesake
            ? "the \(noun) of this name has another type"
            : "no \(noun) here has its id, or its name and type"
                + (nearest.map { "; did you mean \(ForeignText.quoted($0))?" } ?? "")
        let more = nearest == nil ? "" : " That one stays in force as it was."
        return document.remark(
            "displayName", .string(document.displayName), "replaces none, and is added: \(why)\(more)", kind: "added")
    }

    /// The documents that were there before.
    private mutating func all() throws(MAMError) -> [Document] {
        if let known { return known }
        let found = try store.rows().map { (row) throws(MAMError) in try store.document(row) }
        known = found
        return found
    }

    /// Fail where a document would replace one of another type, unless the request allows it.
    func checkType(of json: JSON, _ id: Identity, _ call: AdministrationCall) throws(MAMError) {
        guard !isReplacing, let row = try store.row(of: id) else { return }
        let old = try store.document(row)
        guard !old.hasType(of: json) else { return }
        func type(_ json: JSON) -> String { ForeignText.quoted(json["@odata.type"]?.string ?? "") }
        throw call.already(
            "document",
            "the \(Document.kind.noun) \(ForeignText.quoted(id.text)) is here already and is a \(type(old.json)), the document a "
                + "\(type(json)); to replace it give --replace (\"replace\":true), to keep both give the new one another id"
        )
    }
}

extension TargetedDocument {
    /// Whether two documents have the same type. A missing type, as in documents of earlier releases, equals any.
    fileprivate func hasType(of other: JSON) -> Bool {
        guard let own = json["@odata.type"]?.string, let theirs = other["@odata.type"]?.string else { return true }
        return own.drop { $0 == "#" } == theirs.drop { $0 == "#" }
    }

    /// A warning about settings that a replaced document had and this one has not; nil where there are none.
    fileprivate func warning(replacing former: Self) -> JSON? {
        let (now, before) = (Set(stated), former.stated)
        var dropped = BoundedNames()
        for name in before where !now.contains(name) { dropped.add(name) }
        guard dropped.count > 0 else { return nil }
        let names = dropped.names.prefix(5).map { ForeignText.bounded($0, limit: 100) }.joined(separator: ", ")
        let more = dropped.count > 5 ? " and \(dropped.count - 5) more" : ""
        let what =
            now.isEmpty
            ? "states no setting any more" : "does not state \(dropped.count) of its \(before.count) settings any more"
        return remark(dropped.names[0], .null, "\(what): \(names)\(more)", kind: "dropped")
    }

    /// A warning about settings that restrict less than in the replaced document; nil where there are none.
    fileprivate func warning(loosening former: Self) -> JSON? {
        let changes = loosened(from: former)
        guard let first = changes.first else { return nil }
        func shown(_ value: JSON) -> String {
            value.isNull ? "no effect" : ForeignText.bounded(value.string ?? value.text, limit: 60)
        }
        let named = changes.prefix(5).map { "\($0.setting) (\(shown($0.before)), now \(shown($0.after)))" }
        let more = changes.count > 5 ? " and \(changes.count - 5) more" : ""
        return remark(
            first.setting, first.after, "restricts less than before: \(named.joined(separator: ", "))\(more)",
            kind: "looser")
    }

    /// A warning that only an import knows.
    fileprivate func remark(_ setting: String, _ value: JSON, _ message: String, kind: String) -> JSON {
        let noun = type(of: self).kind.noun
        return [
            "\(noun)Id": .string(id), "setting": .string(setting), "value": value,
            "message": .string("\(noun) \(ForeignText.bounded(id, limit: 200)) \(message)"), "kind": .string(kind),
        ]
    }

    /// "warnings" in the replies of `*.import` and `*.show`, computed with the document's summary.
    func warnings(in summary: JSON) -> [JSON] {
        let kind = type(of: self).kind
        let isTargeted = summary["allApps"] == true || !(summary["apps"]?.array ?? []).isEmpty
        return warnings(isTargeted: isTargeted).map {
            .object([
                ("\(kind.noun)Id", .string(id)), ("setting", .string($0.setting)), ("value", $0.value),
                ("message", .string($0.message)), ("kind", .string($0.kind.rawValue)),
            ])
        }
    }
}
