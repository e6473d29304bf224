import CPlatform
import MAMFiles
import MAMSupport

extension Session: DatabasesOwner {
    /// `mam_sqlite_vfs_register`.
    public func registerDatabases(named name: String, of argument: AccountArgument) throws(MAMError) {
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
            throw .argument("name", "is empty, or has a blank or a control character")
        }
        guard argument != .notGiven else {
            throw .argument("account", "is missing; name an account, or \"\" for no user")
        }
        let snapshot = try current()
        // Data of an unenrolled account stays readable.
        if argument.identity.flatMap({ snapshot.find($0) })?.hasLeft != true {
            try checkName(argument, snapshot, late: "its databases are closed")
        }
        try databases.register(name, of: snapshot.stable(argument).identity)
    }

    /// Leads a file system to the databases of a session, which it may outlive: by the session's token alone.
    static func entrance(_ token: UInt) -> DatabaseFileSystem.Entrance {
        { body in
            var object: UnsafeRawPointer?
            guard platform_handle_enter(token, Int32(PLATFORM_HANDLE_SESSION), &object) == 0, let object else { return }
            defer { platform_handle_leave(token) }
            body(Unmanaged<Session>.fromOpaque(object).takeUnretainedValue().databases)
        }
    }

    func isOfDirectory(_ path: String) -> Bool {
        (try? owners.find(FilePath(Array(path.utf8))))?.source == .directory
    }

    func own(_ path: String, _ argument: AccountArgument) {
        do throws(MAMError) {
            try owners.verifyAndSet(try FilePath(Array(path.utf8)), to: try owner(for: argument)) { false }
        } catch {
            // The message can name a person.
            log.write(.warning, "\(path): cannot note whose it is: \(error.code.name.map { "\($0)" } ?? "error")")
            log.write(.verbose, error.message)
        }
    }
}
