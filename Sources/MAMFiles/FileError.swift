import CPlatform
import CSealedFile
import MAMSupport

// The original's numbers for files, as `originalCode`.
extension MAMError {
    /// The failure of a call on a file of the host.
    static func file(_ errno: Int32, _ doing: String, _ path: String) -> MAMError {
        let code: Int64 =
            switch Int(errno) {
            case PLATFORM_ENOENT: 104
            case PLATFORM_EISDIR: 105
            default: 107
            }
        if Int(errno) == PLATFORM_EISDIR { return .notAHostFile(path, mode: 0o040000) }
        let error = MAMError.system(errno, doing, path: path)
        return MAMError(error.code, error.message, error.detail + [("originalCode", .integer(code))])
    }

    /// Something that is not a regular file.
    public static func notAHostFile(_ path: String, mode: UInt32) -> MAMError {
        let (kind, code): (String, Int64) =
            switch mode & 0o170000 {
            case 0o120000: ("a symbolic link; give the path of the file itself", 101)
            case 0o040000: ("a directory", 105)
            case 0o010000: ("a named pipe", 101)
            case 0o140000: ("a socket", 101)
            default: ("a device", 101)
            }
        return MAMError(
            .unsupported, "\(path): is no regular file but \(kind)",
            [("path", .string(path)), ("originalCode", .integer(code))])
    }
}

extension sealed_file_fault_t {
    /// Throw what it says, unless that is nothing.
    func check(_ doing: String, _ path: String) throws(MAMError) {
        guard Int(status) != SEALED_FILE_OK else { return }
        throw error(doing, path)
    }

    private func error(_ doing: String, _ path: String) -> MAMError {
        let about: [(key: String, value: JSON)] = [("path", .string(path)), ("originalCode", 103)]
        switch Int(status) {
        case SEALED_FILE_SYSTEM: return .file(self.error, doing, path)
        case SEALED_FILE_FOREIGN:
            return MAMError(
                .notProtected, "\(path): is no sealed file", [("path", .string(path)), ("originalCode", 104)])
        case SEALED_FILE_MALFORMED:
            return MAMError(.damaged, "\(path): the sealed file is damaged: its first page is not one", about)
        case SEALED_FILE_NOT_AUTHENTIC:
            return MAMError(.authentication, "\(path): the sealed file does not verify: it was changed", about)
        case SEALED_FILE_DAMAGED:
            return MAMError(
                .damaged, "\(path): the 4096 bytes at \(offset) do not verify: they were changed or cut off",
                about + [("offset", .integer(offset))])
        case SEALED_FILE_NO_RANDOM: return MAMError(.crypto, "the system gives no random numbers")
        case SEALED_FILE_NO_MEMORY: return .noMemory(4096)
        case SEALED_FILE_TOO_LONG:
            return MAMError(
                .io, "\(path): cannot \(doing): it would be larger than a file can be", [("path", .string(path))])
        case SEALED_FILE_WORN:
            return MAMError(
                .unsupported, "\(path): was written to so often that its keys are used up; decrypt and encrypt it",
                [("path", .string(path))])
        case SEALED_FILE_CLOSED:
            return MAMError(.closed, "\(path): its account was wiped, or its session closed", [("path", .string(path))])
        default: return MAMError(.crypto, "libcrypto failed; is there memory left?")
        }
    }
}
