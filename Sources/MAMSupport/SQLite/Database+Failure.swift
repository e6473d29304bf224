import CFiles
import CSQLite

/// Maps SQLite's result codes to errors with a remedy.
extension Database {
    /// The longest value, twice the size of the longest document.
    static let maximumValueLength: Int32 = 256 << 20

    func failure(_ result: Int32) -> MAMError {
        result & 0xFF == SQLITE_INTERRUPT || result & 0xFF == SQLITE_BUSY && busyHandler.isInterrupted
            ? .interrupted : Database.error(result, connection, path)
    }

    static func error(_ result: Int32, _ connection: OpaquePointer?, _ path: String) -> MAMError {
        let systemError = connection.map { sqlite3_system_errno($0) } ?? 0
        let text = connection.map { String(repairing: sqlite3_errmsg($0)) } ?? "out of memory"
        let detail: [(key: String, value: JSON)] = [("path", .string(path)), ("sqlite", .integer(Int64(result)))]
        func failed(_ code: MAMError.Code, _ message: String, for key: MessageKey? = nil) -> MAMError {
            MAMError(code, "\(path): \(message)", detail, for: key)
        }
        if result == SQLITE_IOERR | 32 << 8 {  // SQLITE_IOERR_DATA
            return failed(
                .damaged, "does not verify: it is damaged, or sealed for another app, or under a key that is gone")
        }
        // SQLite keeps the errno of earlier failures, so that it is valid only with results from system calls.
        if [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(result & 0xFF) {
            switch Int(systemError) {
            case FILES_ENOSPC, FILES_EDQUOT:
                return failed(.noSpace, "no space is left on its disk; free some and try again")
            case FILES_EROFS: return failed(.permission, "may not be written: the file system is read-only")
            case FILES_EACCES, FILES_EPERM:
                return failed(
                    .permission,
                    "may not be read or written by this user; check owner and mode of the file and its directory")
            case FILES_EMFILE: return failed(.io, "cannot be opened: " + MAMError.tooManyFiles)
            default: break
            }
        }
        if result == SQLITE_READONLY | 3 << 8 {  // SQLITE_READONLY_ROLLBACK
            return failed(
                .permission,
                "a program that wrote it was killed: its owner has to open it once; mamctl doctor names the command")
        }
        return switch result & 0xFF {
        case SQLITE_FULL: failed(.noSpace, "no space is left on its disk; free some and try again")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            failed(
                .permission,
                "may not be written by this user (\(text)); check owner and mode of the file and its directory")
        case SQLITE_CANTOPEN: failed(.io, "cannot be opened (\(text)); check that it is there and readable")
        case SQLITE_BUSY, SQLITE_LOCKED:
            failed(
                .busy,
                "is locked by another connection, here or in another process, for too long; mamctl doctor names the command that finds it"
            )
        case SQLITE_CORRUPT: failed(.storage, "is damaged (\(text)); put its newest copy back", for: .errorTampered)
        case SQLITE_NOTADB:
            failed(
                .storage, "is no SQLite database, or its beginning was changed; put its newest copy back",
                for: .errorTampered)
        case SQLITE_IOERR: failed(.io, "cannot be read or written (\(text): \(MAMError.systemText(systemError)))")
        case SQLITE_NOMEM: failed(.noSpace, "there is no memory left to read or write it; free some and try again")
        case SQLITE_TOOBIG:
            failed(.storage, "a value in it, or on its way there, is longer than \(maximumValueLength) bytes")
        default: failed(.storage, text)
        }
    }
}
