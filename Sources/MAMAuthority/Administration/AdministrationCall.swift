import MAMSupport

/// One call of an action, inside its transaction.
struct AdministrationCall {
    let store: Store
    let file: AuthorityFile
    let arguments: Arguments
    let now: Instant

    /// The parts that several calls share.
    struct Context {
        let store: Store
        let file: AuthorityFile
        let now: Instant
    }

    var database: Database { store.database }

    /// The documents of a kind.
    func documents<Document: TargetedDocument>(_: Document.Type) -> DocumentStore<Document> {
        DocumentStore(store: store)
    }

    /// The error for an object that does not exist; `key` is the argument that named it.
    func notFound(_ key: String, _ what: String) -> MAMError {
        let name = arguments[key].map { $0.string ?? $0.text } ?? ""
        return MAMError(
            .notFound, "\(file.path): there is no \(what) \(MessageText.quoted(name))",
            [("argument", .string(key)), ("path", .string(file.path))])
    }

    /// The error for an object that already exists.
    func already(_ key: String, _ message: String) -> MAMError {
        MAMError(.already, "\(file.path): \(message)", [("argument", .string(key)), ("path", .string(file.path))])
    }
}

extension AdministrationCall {
    init(_ context: Context, _ arguments: Arguments) {
        self.init(store: context.store, file: context.file, arguments: arguments, now: context.now)
    }
}
