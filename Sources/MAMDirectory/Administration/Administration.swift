import MAMSupport

/// Administration of a directory: `mam_admin`, docs/authority.md.
public enum Administration {
    /// Perform one action in a store. An action that changes it is signed, where the directory has a key.
    package static func perform(
        _ action: Action, _ arguments: Arguments, in store: Store, at place: any DirectoryPlace, now: Instant
    ) throws(MAMError) -> JSON {
        let call = AdministrationCall(store: store, place: place, arguments: arguments, now: now)
        guard action.changes else {
            return try store.database.snapshot { () throws(MAMError) in try action.body(call) }
        }
        let keyFile = store.keyFile ?? place.keyFile
        guard store.isWritable else { throw error(for: action, place, keyFile) }
        var rehearsed: JSON?
        let reply: JSON
        do throws(MAMError) {
            reply = try store.database.transaction { () throws(MAMError) in
                let reply = try change(by: action, call, keyFile)
                guard arguments.flag("dryRun") != true else {
                    rehearsed = reply
                    throw MAMError(.interrupted, "a rehearsal is taken back")
                }
                return reply
            }
        } catch {
            guard let rehearsed else { throw error }
            return rehearsed
        }
        if action.name == "key.rotate" { try Signer(store, keyFile)?.forgetFormerKey(keyFile) }
        return reply
    }

    private static func change(
        by action: Action, _ call: AdministrationCall, _ keyFile: KeyFile
    ) throws(MAMError) -> JSON {
        let store = call.store
        // Verify first: changes that others made must not be signed together with the owner's.
        if action.mode == .write { try Signer(store, keyFile)?.verify() }
        if store.countsChanges { try store.raiseAdministrativeSequence() }
        let reply = try action.body(call)
        // Afterwards: a refused action writes nothing.
        if !store.countsChanges { try store.raiseRevision() }
        let signer = try Signer(store, keyFile)
        try signer?.sign(again: action.mode == .sign)
        if action.mode == .sign { try signer?.signAdded() }
        return reply
    }

    private static func error(for action: Action, _ place: any DirectoryPlace, _ keyFile: KeyFile) -> MAMError {
        guard place.isWritable else {
            return MAMError(
                .permission,
                "\(place.path): this user may not write it, or not the directory that it is in, or its file system is read-only; "
                    + "\(action.name) is for the file's owner, to whom mamctl doctor says what is wrong",
                [("path", .string(place.path))])
        }
        return MAMError(
            .permission,
            "\(place.path): its key file \(keyFile.path) is missing or not this user's to read: without it an authority can be "
                + "read, not changed; put it back beside the authority",
            [("path", .string(keyFile.path))])
    }
}

/// The place where a directory is stored, as its administrators see it.
package protocol DirectoryPlace: Sendable {
    /// The path that messages name.
    var path: String { get }
    /// The control over the directory.
    var custody: Custody { get }
    /// Why this user, or others than its owner, can change the directory, on one line; nil where they cannot.
    var developmentReason: String? { get }
    /// Whether this user can change the directory.
    var isWritable: Bool { get }
    /// Whether apps of other users read the directory themselves. They cannot register or report there.
    var isReadByOthers: Bool { get }
    /// The key file of a directory that has none yet.
    var keyFile: KeyFile { get }
}
