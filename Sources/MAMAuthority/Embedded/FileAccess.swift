import CPlatform

/// What the running user may do with files; tests bring their own, since nothing stops root.
struct FileAccess: Sendable {
    /// The running user.
    let user: @Sendable () -> UInt32
    /// Whether that user may write to a path.
    let isWritable: @Sendable (String) -> Bool

    static let system = FileAccess(user: { platform_effective_user() }, isWritable: { platform_is_writable($0) })
}
