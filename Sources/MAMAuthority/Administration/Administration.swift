import MAMSupport

/// Administration of the embedded authority: `mam_admin`, docs/authority.md.
public enum Administration {
    /// Do one action on the authority in the file `path`.
    public static func perform(path: String, request: JSON, now: Instant) throws(MAMError) -> JSON {
        try ForkGate.shared.pass { () throws(MAMError) in
            try perform(AuthorityFile(path: path), request, now: now)
        }
    }

    static func perform(_ file: AuthorityFile, _ request: JSON, now: Instant) throws(MAMError) -> JSON {
        let (action, arguments) = try ActionTable.read(request)
        func call(_ store: Store) throws(MAMError) -> JSON {
            try action.body(AdministrationCall(store: store, file: file, arguments: arguments, now: now))
        }
        switch action.need {
        case .absent: return try file.create(call)
        case .reading:
            let store = try file.open()
            return try store.database.snapshot { () throws(MAMError) in try call(store) }
        case .writing:
            let store = try file.open()
            guard store.isWritable else {
                throw MAMError(
                    .permission, "\(file.path): this user may not write it; \(action.name) is its owner's to do",
                    [("path", .string(file.path))])
            }
            return try store.database.transaction { () throws(MAMError) in try call(store) }
        }
    }
}
