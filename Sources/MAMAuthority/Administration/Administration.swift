import MAMSupport

/// Administration of the embedded authority: `mam_admin`, docs/authority.md.
public enum Administration {
    /// Perform one action on the authority in the file `path`.
    public static func perform(path: String, request: JSON, now: Instant) throws(MAMError) -> JSON {
        try ForkDelay.shared.withForksHeld { () throws(MAMError) in
            try perform(AuthorityFile(path: path), request, now: now)
        }
    }

    static func perform(_ file: AuthorityFile, _ request: JSON, now: Instant) throws(MAMError) -> JSON {
        let (action, arguments) = try ActionTable.read(request)
        func call(_ store: Store) throws(MAMError) -> JSON {
            try action.body(AdministrationCall(store: store, file: file, arguments: arguments, now: now))
        }
        switch action.mode {
        case .create: return try file.create(call)
        case .read:
            let store = try file.open()
            return try store.database.snapshot { () throws(MAMError) in try call(store) }
        case .write, .sign:
            let store = try file.open()
            let keyFile = store.keyFile ?? file.keyFile
            guard store.isWritable else { throw error(for: action, file, keyFile) }
            let reply = try store.database.transaction { () throws(MAMError) in
                // Verify first: changes that others made must not be signed together with the owner's.
                if action.mode == .write { try Signer(store, keyFile)?.verify() }
                let reply = try call(store)
                let signer = try Signer(store, keyFile)
                try signer?.sign(again: action.mode == .sign)
                if action.mode == .sign { try signer?.signAdded() }
                return reply
            }
            if action.name == "key.rotate" { try Signer(store, keyFile)?.forgetFormerKey(keyFile) }
            return reply
        }
    }

    private static func error(for action: Action, _ file: AuthorityFile, _ keyFile: KeyFile) -> MAMError {
        guard file.isWritable else {
            return MAMError(
                .permission, "\(file.path): this user may not write it; \(action.name) is its owner's to do",
                [("path", .string(file.path))])
        }
        return MAMError(
            .permission,
            "\(file.path): its key file \(keyFile.path) is missing or not this user's to read: without it an authority can be "
                + "read, not changed; put it back beside the authority",
            [("path", .string(keyFile.path))])
    }
}
