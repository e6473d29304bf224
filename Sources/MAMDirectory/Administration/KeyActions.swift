import MAMProtection
import MAMSupport

/// `key.*`: the signing key of the authority.
enum KeyActions {
    /// Returns the authority's id, the key in use, its number, and whether this user can sign; a key file that cannot be used by a user
    /// who may read it is a problem.
    static func show(_ call: AdministrationCall) throws(MAMError) -> JSON {
        let trust = AuthorityTrust()
        let identity = try trust.identity(
            of: try call.store.signingId(), try call.store.statements(), path: call.place.path)
        let keyFile = call.store.keyFile ?? call.place.keyFile
        let problem = identity.flatMap { keyFile.problem(of: $0.key) }
        return [
            "authority": .optional(identity?.id), "number": .integer(identity?.number ?? 0),
            "key": .optional(identity?.key.base64), "keyFile": .string(keyFile.path),
            "canSign": .bool(identity != nil && keyFile.isReadable && problem == nil), "problem": .optional(problem),
        ]
    }

    /// Begins a new key, signed with the former one.
    static func rotate(_ call: AdministrationCall) throws(MAMError) -> JSON {
        guard let file = call.store.keyFile, let signer = try Signer(call.store, file) else {
            throw MAMError(
                .permission, "\(call.place.path): it has no key yet; its owner's next change gives it one",
                [("path", .string(call.place.path))])
        }
        try signer.rotate(file)
        return try show(call)
    }
}
