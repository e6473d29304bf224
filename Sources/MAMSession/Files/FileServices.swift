import CHandles
import MAMSupport

/// The services of files and databases.
struct FileServices {
    let files: Files
    let conversions: FileConversions
    let databases: Databases

    init(_ context: SessionContext, _ protection: Protection, _ identities: CurrentIdentities) {
        files = Files(context, protection, identities)
        databases = Databases(context, protection, files, whileOpen: FileServices.whileOpen)
        conversions = FileConversions(context, files, protection, databases, identities)
    }

    /// Runs a function while the session with this token is open; returns the reason once it is closed, or in a forked child.
    private static func whileOpen(_ token: UInt, _ body: () -> Void) -> MAMError? {
        var object: UnsafeRawPointer?
        let result = handle_enter(token, Int32(HANDLE_SESSION), &object)
        guard Int(result) == HANDLE_OK else {
            return Int(result) == HANDLE_FORKED
                ? MAMError(.forked, "the database belongs to the parent process; open it again after fork")
                : MAMError(.closed, "the database's session is closed")
        }
        defer { handle_leave(token) }
        body()
        return nil
    }
}
