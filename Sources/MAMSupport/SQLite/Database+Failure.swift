import CPlatform
import CSQLite

/// What SQLite's results mean to who has to do something about them.
extension Database {
    /// The longest row, twice what the longest document becomes.
    static let longestValue: Int32 = 256 << 20

    func failure(_ result: Int32) -> MAMError {
        result & 0xFF == SQLITE_INTERRUPT || result & 0xFF == SQLITE_BUSY && patience.isInterrupted
            ? .interrupted : Database.error(result, connection, path)
    }

    static func error(_ result: Int32, _ connection: OpaquePointer?, _ path: String) -> MAMError {
        let systemError = connection.map { sqlite3_system_errno($0) } ?? 0
        let text = connection.map { String(nulTerminated: sqlite3_errmsg($0)) } ?? "out of memory"
        let detail: [(key: String, value: JSON)] = [("path", .string(path)), ("sqlite", .integer(Int64(result)))]
        func made(_ code: MAMError.Code, _ message: String) -> MAMError {
            MAMError(code, "\(path): \(message)", detail)
        }
        if result == SQLITE_IOERR | 32 << 8 {  // SQLITE_IOERR_DATA
            return made(
                .damaged, "does not verify: it is damaged, or sealed for another app, or under a key that is gone")
        }
        // SQLite keeps the errno of an earlier failure: it counts only with results that come from the system.
        if [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(result & 0xFF) {
            switch Int(systemError) {
            case PLATFORM_ENOSPC, PLATFORM_EDQUOT:
                return made(.noSpace, "no space is left on its disk; free some and try again")
            case PLATFORM_EACCES, PLATFORM_EPERM, PLATFORM_EROFS:
                return made(
                    .permission,
                    "may not be read or written by this user; check owner and mode of the file and its directory")
            case PLATFORM_EMFILE: return made(.io, "cannot be opened: " + MAMError.tooManyFiles)
            default: break
            }
        }
        return switch result & 0xFF {
        case SQLITE_FULL: made(.noSpace, "no space is left on its disk; free some and try again")
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            made(
                .permission,
                "may not be written by this user (\(text)); check owner and mode of the file and its directory")
        case SQLITE_CANTOPEN: made(.io, "cannot be opened (\(text)); check that it is there and readable")
        case SQLITE_BUSY, SQLITE_LOCKED:
            made(.busy, "is locked by another connection, here or in another process, for too long")
        case SQLITE_CORRUPT: made(.storage, "is damaged (\(text)); put its newest copy back")
        case SQLITE_NOTADB: made(.storage, "is no SQLite database, or its beginning was changed")
        case SQLITE_IOERR: made(.io, "cannot be read or written (\(text), errno \(systemError))")
        case SQLITE_NOMEM: made(.noSpace, "there is no memory left to read or write it; free some and try again")
        case SQLITE_TOOBIG: made(.storage, "a value in it, or on its way there, is longer than \(longestValue) bytes")
        default: made(.storage, text)
        }
    }
}
