import MAMSupport

/// The users and apps that the request of an import adds to each of its documents, besides those that a document states itself.
struct ImportedReach {
    static let keys: [Action.Key] = [
        .optional("groups", .list(.name, maximum: 256)), .optional("allUsers", .trueOnly),
        .optional("apps", .list(.app, maximum: 256)), .optional("allApps", .trueOnly),
    ]

    private let call: AdministrationCall

    /// The reach that the arguments of `call` state.
    init(_ call: AdministrationCall) { self.call = call }

    /// Assigns and targets a document as `assign` and `target` do; returns their notes.
    func add<Document: TargetedDocument>(to id: Identity, _: Document.Type) throws(MAMError) -> [String?] {
        var notes: [String?] = []
        func perform(_ action: Action.Body, _ key: String, _ value: JSON) throws(MAMError) {
            let values = [(key: Document.kind.key, value: JSON.string(id.text)), (key: key, value: value)]
            let arguments = Arguments(action: call.arguments.action, values: values)
            let reply = try action(
                AdministrationCall(store: call.store, place: call.place, arguments: arguments, now: call.now))
            notes.append(reply["note"]?.string)
        }
        func elements(_ key: String) -> [JSON] { call.arguments[key]?.array ?? [] }
        for group in elements("groups") { try perform(AssignmentActions<Document>.assign, "group", group) }
        if call.arguments.has("allUsers") { try perform(AssignmentActions<Document>.assign, "allUsers", true) }
        for app in elements("apps") { try perform(AssignmentActions<Document>.target, "app", app) }
        if call.arguments.has("allApps") { try perform(AssignmentActions<Document>.target, "allApps", true) }
        return notes
    }
}
