import CHandles

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

    /// Runs a function while the session with this token is open; does nothing once it is closed, or in a forked child.
    private static func whileOpen(_ token: UInt, _ body: () -> Void) {
        var object: UnsafeRawPointer?
        guard handle_enter(token, Int32(HANDLE_SESSION), &object) == HANDLE_OK else { return }
        defer { handle_leave(token) }
        body()
    }
}
