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
            case PLATFORM_EFBIG: (.io, "it is larger than a file may be (ulimit -f, or the file system)")
            case PLATFORM_EISDIR: (.storage, "it is a directory, not a file; remove it")
            case PLATFORM_ENXIO: (.storage, "it is a pipe or a device, not a file; remove it")
            case PLATFORM_EMFILE: (.io, tooManyFiles)
            case PLATFORM_ENFILE: (.io, "the computer has no file descriptor left (fs.file-max)")
            case PLATFORM_ENOMEM: (.noSpace, "the system has no memory left")
            default: (.io, "errno \(errno)")
            }
        return MAMError(
            code, "\(path): cannot \(doing): \(reason)", [("path", .string(path)), ("errno", .integer(Int64(errno)))])
    }

    /// For a process that has no descriptor left.
    static let tooManyFiles = "this process has too many files open; close some, or raise its limit (ulimit -n)"

    /// Something other than a file lies where one belongs; `mode` says what.
    public static func notAFile(_ path: String, mode: UInt32) -> MAMError {
        let kind =
            switch mode & 0o170000 {
            case 0o120000: "a symbolic link"
            case 0o040000: "a directory"
            case 0o010000: "a named pipe"
            case 0o140000: "a socket"
            default: "a device"
            }
        return MAMError(.storage, "\(path): is \(kind), not a file; remove it", [("path", .string(path))])
    }

    /// There was no memory; nothing was done.
    public static func noMemory(_ size: Int) -> MAMError {
        MAMError(
            .noSpace, "there is no memory for \(size) bytes; free some, or raise the limit of this process (ulimit -v)",
            [("size", .integer(Int64(size)))])
    }
}
