import MAMPolicy
import MAMSupport

/// The documents that a simulation has imported. Their warnings are those of the end, when the other changes have assigned and targeted
/// them.
struct ImportedDocuments {
    private let imports: [JSON]
    /// The apps that are looked at; nil for all.
    private let apps: [String]?

    /// `imports` are replies of `policy.import` and `config.import`.
    init(_ imports: [JSON], in apps: [String]?) {
        self.imports = imports
        self.apps = apps
    }

    /// The warnings of the documents that are still there, without those of documents that target other apps alone.
    func warnings(_ store: Store) throws(MAMError) -> [JSON] {
        try warnings(store, PolicyDocument.self) + warnings(store, AppConfigurationDocument.self)
    }

    private func warnings<Document: TargetedDocument>(_ store: Store, _: Document.Type) throws(MAMError) -> [JSON] {
        let documents = DocumentStore<Document>(store: store)
        var seen: Set<Int64> = []
        var warnings: [JSON] = []
        for summary in imports.flatMap({ $0[Document.kind.plural]?.array ?? [] }) {
            let id = try Identity(summary["id"]?.string ?? "", argument: "document")
            guard let row = try documents.row(of: id), seen.insert(row).inserted else { continue }
            let document = try documents.document(row)
            let latest = try documents.summary(row, document)
            if concerns(latest, document) { warnings += document.warnings(in: latest) }
        }
        return warnings
    }

    /// Whether a document targets an app that is looked at, or none at all, which its warnings say.
    private func concerns(_ summary: JSON, _ document: some TargetedDocument) -> Bool {
        guard let apps, !document.isTenantDefault, summary["allApps"] != true else { return true }
        let targets = (summary["apps"]?.array ?? []).compactMap(\.string)
        return targets.isEmpty || targets.contains { target in apps.contains { $0.utf8.elementsEqual(target.utf8) } }
    }
}
