import MAMSupport

extension AuthorityFile: DirectoryPlace {}

extension Administration {
    /// Perform one action on the authority in the file `path`.
    public static func perform(path: String, request: JSON, now: Instant) throws(MAMError) -> JSON {
        try ForkDelay.shared.withForksHeld { () throws(MAMError) in
            try perform(AuthorityFile(path: path), request, now: now)
        }
    }

    static func perform(_ file: AuthorityFile, _ request: JSON, now: Instant) throws(MAMError) -> JSON {
        let (action, arguments) = try ActionTable.read(request)
        guard action.mode == .create else {
            return try perform(action, arguments, in: try file.open(), at: file, now: now)
        }
        return try file.create { (store) throws(MAMError) in
            try action.body(AdministrationCall(store: store, place: file, arguments: arguments, now: now))
        }
    }
}

extension PolicySimulation {
    /// Simulate with the authority in the file `path`, which is opened read-only.
    public static func make(
        path: String, request: JSON, now: Instant, libraryVersion: String
    ) throws(MAMError) -> JSON {
        let request = try SimulationRequest(request, now: now, libraryVersion: libraryVersion)
        let file = AuthorityFile(path: path)
        let copy = try ForkDelay.shared.withForksHeld { () throws(MAMError) in try file.copyInMemory() }
        return try make(copy, at: file, request, now: now)
    }
}

extension PolicyExplanation {
    /// Explain with the authority in the file `path`, which is opened read-only.
    public static func make(path: String, request: JSON, now: Instant) throws(MAMError) -> JSON {
        let arguments = try arguments(of: request)
        let file = AuthorityFile(path: path)
        return try ForkDelay.shared.withForksHeld { () throws(MAMError) in
            try make(try file.openReadOnly(), at: file, arguments, now: now)
        }
    }
}
