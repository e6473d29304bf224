import CFiles
import CSealedFile
import MAMSupport

extension MAMError {
    /// An error about a host's file, with the error code of the Intune App SDK.
    public static func file(
        _ code: Code, _ path: String, _ problem: String, originalCode: OriginalCode? = nil,
        _ more: [(key: String, value: JSON)] = [], for messageKey: MessageKey? = nil
    ) -> MAMError {
        let number = originalCode.map { [$0.detail] } ?? []
        return MAMError(code, "\(path): \(problem)", [("path", .string(path))] + more + number, for: messageKey)
    }

    /// The error of a failed system call on a host's file. `doing` completes "cannot …".
    public static func file(_ errno: Int32, _ doing: String, _ path: String) -> MAMError {
        func failed(
            _ code: Code, _ originalCode: OriginalCode, _ reason: String, for messageKey: MessageKey? = nil
        ) -> MAMError {
            .file(
                code, path, "cannot \(doing): \(reason)", originalCode: originalCode,
                [("errno", .integer(Int64(errno)))], for: messageKey)
        }
        switch Int(errno) {
        case FILES_EISDIR: return failed(.unsupported, .operationOnDirectory, "it is a directory")
        case FILES_ELOOP:
            return failed(.unsupported, .invalidArguments, "it is a symbolic link; name the file that it leads to")
        case FILES_ENXIO: return failed(.unsupported, .invalidArguments, "it is a pipe, a socket or a device")
        case FILES_ENOTDIR: return failed(.notFound, .fileNotFound, "a part of the path is not a directory")
        case FILES_ENAMETOOLONG:
            return failed(
                .argument, .invalidArguments, "a name in it is longer than the system takes", for: .errorPlace)
        case FILES_EWOULDBLOCK: return .file(.busy, path, "cannot \(doing): a program holds a lock on it (fcntl)")
        default:
            let error = MAMError.system(errno, doing, path: path)
            let originalCode: OriginalCode = Int(errno) == FILES_ENOENT ? .fileNotFound : .internalError
            return MAMError(error.code, error.message, error.detail + [originalCode.detail])
        }
    }

    /// The error for something other than a regular file; `mode` is its type.
    public static func notRegular(_ doing: String, _ path: String, mode: UInt32) -> MAMError {
        let errno =
            switch mode & 0o170000 {
            case 0o120000: FILES_ELOOP
            case 0o040000: FILES_EISDIR
            default: FILES_ENXIO
            }
        return .file(Int32(errno), doing, path)
    }
}

/// Throw the error of a failed system call.
func check(_ errno: Int32, _ doing: String, _ path: @autoclosure () -> String) throws(MAMError) {
    guard errno == 0 else { throw .file(errno, doing, path()) }
}

extension sealed_file_fault_t {
    /// Throw the error of a failed call.
    func check(_ doing: String, _ path: String) throws(MAMError) {
        guard Int(status) != SEALED_FILE_OK else { return }
        throw error(doing, path)
    }

    private func error(_ doing: String, _ path: String) -> MAMError {
        switch Int(status) {
        case SEALED_FILE_SYSTEM: .file(self.error, doing, path)
        case SEALED_FILE_FOREIGN: .file(.notProtected, path, "is no sealed file", originalCode: .dataNotProtected)
        case SEALED_FILE_MALFORMED:
            .file(
                .damaged, path, "the sealed file is damaged: its first page is not one", originalCode: .failedToDecrypt)
        case SEALED_FILE_NOT_AUTHENTIC:
            .file(
                .authentication, path, "the sealed file does not verify: it was changed", originalCode: .failedToDecrypt
            )
        case SEALED_FILE_DAMAGED:
            .file(
                .damaged, path, "the 4096 bytes at \(offset) do not verify: they were changed or cut off",
                originalCode: .failedToDecrypt, [("offset", .integer(offset))])
        case SEALED_FILE_NO_RANDOM: MAMError(.crypto, "the system gives no random numbers")
        case SEALED_FILE_NO_MEMORY: .noMemory(4096)
        case SEALED_FILE_TOO_LONG: .file(.io, path, "cannot \(doing): it would be larger than a file can be")
        case SEALED_FILE_KEYS_EXHAUSTED:
            .file(
                .unsupported, path, "was written to so often that its keys are used up; decrypt and encrypt it")
        case SEALED_FILE_CLOSED:
            .file(.closed, path, "its account was wiped, or its session closed", for: .errorGone)
        default: MAMError(.crypto, "libcrypto failed; is there memory left?")
        }
    }
}
