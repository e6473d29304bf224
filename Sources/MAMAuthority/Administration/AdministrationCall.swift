import MAMSupport

/// One action under way, inside its transaction.
struct AdministrationCall {
    let store: Store
    let file: AuthorityFile
    let arguments: Arguments
    let now: Instant

    /// Where and when several actions are done.
    struct Place {
        let store: Store
        let file: AuthorityFile
        let now: Instant
    }

    var database: Database { store.database }

    /// The documents of a kind.
    func documents<Document: TargetedDocument>(_: Document.Type) -> DocumentStore<Document> {
        DocumentStore(store: store)
    }

    /// Something that is not there, with the key that named it.
    func notFound(_ key: String, _ what: String) -> MAMError {
        let name = arguments[key].map { $0.string ?? $0.text } ?? ""
        return MAMError(
            .notFound, "\(file.path): there is no \(what) \(Line.quoted(name))",
            [("argument", .string(key)), ("path", .string(file.path))])
    }

    /// Something that is there already.
    func already(_ key: String, _ message: String) -> MAMError {
        MAMError(.already, "\(file.path): \(message)", [("argument", .string(key)), ("path", .string(file.path))])
    }
}

extension AdministrationCall {
    init(_ place: Place, _ arguments: Arguments) {
        self.init(store: place.store, file: place.file, arguments: arguments, now: place.now)
    }
}
