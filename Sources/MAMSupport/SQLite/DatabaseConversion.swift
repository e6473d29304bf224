import CPlatform
import CSQLite

/// A database of a host that is given another form: written anew beside itself and put in its own place, so that a kill leaves the
/// old one or the new one, whole. Nobody else may have it open.
public struct DatabaseConversion {
    private let source: Database
    /// Where it is, links resolved.
    public let path: String
    private let system: String

    /// Open what is at a path, through a file system that reads either form.
    public init(_ path: String, through system: String, interrupts: Interrupts) throws(MAMError) {
        self.system = system
        source = try Database(path: path, mode: .readWrite, busyTimeout: 2_000, interrupts: interrupts, system: system)
        // With links resolved: what has the name is replaced, not the link.
        guard let name = sqlite3_db_filename(source.connection, "main"), name.pointee != 0 else {
            throw MAMError(.internal, "\(path): the database has no file")
        }
        self.path = String(nulTerminated: name)
        sqlite3_limit(source.connection, SQLITE_LIMIT_LENGTH, Int32.max)
    }

    /// Whether it is encrypted.
    public func isEncrypted() throws(MAMError) -> Bool {
        try source.first("PRAGMA mam_encrypted") { $0.text(0) } == "1"
    }

    /// Throw where SQLite finds none there: what is no database is plain to it until something is read.
    public func insistOnDatabase() throws(MAMError) { _ = try source.first("PRAGMA schema_version") { $0.text(0) } }

    /// Write it in the form that the parameters of a URI ask for to an empty file beside it, and put that in its place.
    public func convert(to parameters: String, by beside: String) throws(MAMError) {
        try source.execute("PRAGMA locking_mode=EXCLUSIVE")
        let mode = try source.first("PRAGMA journal_mode") { $0.text(0) ?? "" }
        if mode == "wal" { try source.execute("PRAGMA journal_mode=DELETE") }
        // Held until this connection is closed, which is after the new file has the name.
        try source.execute("BEGIN EXCLUSIVE; COMMIT")
        do throws(MAMError) {
            try source.run("VACUUM INTO ?", .text("file:\(DatabaseConversion.escaped(beside))?\(parameters)"))
            if mode == "wal" {
                let copy = try Database(path: beside, mode: .readWrite, system: system)
                try copy.execute("PRAGMA journal_mode=WAL")
            }
            try check(platform_succeed(beside, path))
        } catch {
            try? clear(beside)
            throw error
        }
    }

    private func clear(_ beside: String) throws(MAMError) {
        for suffix in ["", "-journal", "-wal", "-shm"] { try check(platform_remove(beside + suffix)) }
    }

    private func check(_ result: Int32) throws(MAMError) {
        guard result != 0 else { return }
        let code: MAMError.Code =
            switch Int(result) {
            case PLATFORM_ENOSPC, PLATFORM_EDQUOT: .noSpace
            case PLATFORM_EACCES, PLATFORM_EPERM, PLATFORM_EROFS: .permission
            default: .io
            }
        throw MAMError(
            code, "\(path): cannot put the new file in its place (errno \(result)); the database is as it was",
            [("path", .string(path)), ("errno", .integer(Int64(result)))])
    }

    /// A path in a URI.
    private static func escaped(_ path: String) -> String {
        var text: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"): text += Array("%25".utf8)
            case UInt8(ascii: "?"): text += Array("%3f".utf8)
            case UInt8(ascii: "#"): text += Array("%23".utf8)
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
