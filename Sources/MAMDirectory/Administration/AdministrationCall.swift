import MAMSupport

/// One call of an action, inside its transaction.
package struct AdministrationCall {
    let store: Store
    let place: any DirectoryPlace
    let arguments: Arguments
    let now: Instant

    package init(store: Store, place: any DirectoryPlace, arguments: Arguments, now: Instant) {
        self.store = store
        self.place = place
        self.arguments = arguments
        self.now = now
    }

    /// The parts that several calls share.
    struct Context {
        let store: Store
        let place: any DirectoryPlace
        let now: Instant
    }

    var database: any SQLDatabase { store.database }

    /// The documents of a kind.
    func documents<Document: TargetedDocument>(_: Document.Type) -> DocumentStore<Document> {
        DocumentStore(store: store)
    }

    /// The error for an object that already exists.
    func already(_ key: String, _ message: String) -> MAMError {
        MAMError(.already, "\(place.path): \(message)", [("argument", .string(key)), ("path", .string(place.path))])
    }
}

extension AdministrationCall {
    init(_ context: Context, _ arguments: Arguments) {
        self.init(store: context.store, place: context.place, arguments: arguments, now: context.now)
    }
}
