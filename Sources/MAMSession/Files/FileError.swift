import CPlatform
import MAMPolicy
import MAMSupport

extension MAMError {
    /// A file call failed: what was being done, to which file, and the errno, with the original's code.
    static func exchange(_ errno: Int32, _ doing: String, path: String) -> MAMError {
        let base = MAMError.system(errno, doing, path: path)
        switch Int(errno) {
        case PLATFORM_ENOENT: return base.with(originalCode: 104)
        case PLATFORM_EISDIR:
            return MAMError(.unsupported, "\(path): cannot \(doing): it is a directory", base.detail).with(
                originalCode: 105)
        case PLATFORM_ENXIO:
            return MAMError(.unsupported, "\(path): cannot \(doing): it is a pipe, a socket or a device", base.detail)
                .with(originalCode: 101)
        case PLATFORM_ELOOP:
            return MAMError(
                .unsupported, "\(path): cannot \(doing): it is a symbolic link; name the file that it leads to",
                base.detail
            ).with(originalCode: 101)
        default: return base.with(originalCode: 107)
        }
    }

    private func with(originalCode: Int64) -> MAMError {
        MAMError(code, message, detail + [("originalCode", .integer(originalCode))])
    }

    /// What policy does not let happen, and why.
    static func refused(_ reason: Reason?, path: String) -> MAMError {
        MAMError(
            .denied, "\(path): \(reason?.message ?? "policy refuses it")",
            [("path", .string(path)), ("reason", reason?.json ?? .null)])
    }
}
