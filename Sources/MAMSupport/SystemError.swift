import CFiles

extension MAMError {
    /// The error of a failed system call on a file. `doing` completes "cannot …".
    public static func system(_ errno: Int32, _ doing: String, path: String) -> MAMError {
        let (code, reason): (Code, String) =
            switch Int(errno) {
            case FILES_ENOENT: (.notFound, "there is no such file or directory")
            case FILES_EACCES, FILES_EPERM: (.permission, "this user may not")
            case FILES_EROFS: (.permission, "the file system is read-only")
            case FILES_ENOSPC: (.noSpace, "no space is left on the disk")
            case FILES_EDQUOT: (.noSpace, "the disk quota is used up")
            case FILES_ELOOP: (.permission, "it is a symbolic link")
            case FILES_ENOTDIR: (.io, "a part of the path is not a directory")
            case FILES_EFBIG: (.io, "it is larger than a file may be (ulimit -f, or the file system)")
            case FILES_EISDIR: (.storage, "it is a directory, not a file; remove it")
            case FILES_ENXIO: (.storage, "it is a pipe or a device, not a file; remove it")
            case FILES_EMFILE: (.io, tooManyFiles)
            case FILES_ENFILE: (.io, "the computer has no file descriptor left (fs.file-max)")
            case FILES_ENOMEM: (.noSpace, "the system has no memory left")
            default: (.io, systemText(errno))
            }
        return MAMError(
            code, "\(path): cannot \(doing): \(reason)", [("path", .string(path)), ("errno", .integer(Int64(errno)))])
    }

    /// The system's text for an error, with its number.
    public static func systemText(_ errno: Int32) -> String {
        guard let text = files_error_text(errno) else { return "errno \(errno)" }
        return "\(String(cString: text)) (errno \(errno))"
    }

    /// The reason for EMFILE.
    static let tooManyFiles = "this process has too many files open; close some, or raise its limit (ulimit -n)"

    /// The error where a path has something other than a regular file; `mode` is its type.
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

    /// The error of a failed allocation.
    public static func noMemory(_ size: Int) -> MAMError {
        MAMError(
            .noSpace, "there is no memory for \(size) bytes; free some, or raise the limit of this process (ulimit -v)",
            [("size", .integer(Int64(size)))])
    }
}
