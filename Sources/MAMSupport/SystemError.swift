import CPlatform

extension MAMError {
    /// The failure of a file call: what was being done, to which file, and the errno.
    public static func system(_ errno: Int32, _ doing: String, path: String) -> MAMError {
        let (code, reason): (Code, String) =
            switch Int(errno) {
            case PLATFORM_ENOENT: (.notFound, "there is no such file or directory")
            case PLATFORM_EACCES, PLATFORM_EPERM: (.permission, "this user may not")
            case PLATFORM_EROFS: (.permission, "the file system is read-only")
            case PLATFORM_ENOSPC: (.noSpace, "no space is left on the disk")
            case PLATFORM_EDQUOT: (.noSpace, "the disk quota is used up")
            case PLATFORM_ELOOP: (.permission, "it is a symbolic link")
            case PLATFORM_ENOTDIR: (.io, "a part of the path is not a directory")
            case PLATFORM_EFBIG: (.io, "it is larger than it can be")
            default: (.io, "errno \(errno)")
            }
        return MAMError(
            code, "\(path): cannot \(doing): \(reason)", [("path", .string(path)), ("errno", .integer(Int64(errno)))])
    }

    /// Something other than a file lies where one belongs.
    public static func notAFile(_ path: String) -> MAMError {
        MAMError(
            .storage, "\(path): is a link, a pipe or a directory, not a file; remove it", [("path", .string(path))])
    }
}
