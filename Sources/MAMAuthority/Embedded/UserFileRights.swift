import CFiles
import CProcess

/// The running user and their rights in files. Tests inject their own, since root can write everything.
struct UserFileRights: Sendable {
    /// The running user.
    let user: @Sendable () -> UInt32
    /// Whether that user may write to a path.
    let isWritable: @Sendable (String) -> Bool

    static let system = UserFileRights(user: { process_effective_user() }, isWritable: { files_is_writable($0) })
}
