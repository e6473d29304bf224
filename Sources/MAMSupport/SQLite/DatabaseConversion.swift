import CFiles
import CSQLite

/// Converts a host's database to encrypted or plain: a copy is written to a file beside it, which then replaces it. After a kill
/// the path has either the old or the new database. No other connection may be open.
public struct DatabaseConversion {
    private let source: Database
    /// The path with links resolved.
    public let path: String
    private let vfs: String

    /// Open the database at a path, through a VFS that reads both kinds.
    public init(_ path: String, through vfs: String, interrupts: InterruptSource) throws(MAMError) {
        self.vfs = vfs
        source = try Database(path: path, mode: .readWrite, busyTimeout: 2_000, interrupts: interrupts, vfs: vfs)
        // With links resolved, so that the file is replaced and not the link.
        guard let name = sqlite3_db_filename(source.connection, "main"), name.pointee != 0 else {
            throw MAMError(.internal, "\(path): the database has no file")
        }
        self.path = String(repairing: name)
        sqlite3_limit(source.connection, SQLITE_LIMIT_LENGTH, Int32.max)
    }

    /// Whether the database is encrypted.
    public func isEncrypted() throws(MAMError) -> Bool {
        try source.first("PRAGMA mam_encrypted") { $0.text(0) } == "1"
    }

    /// Fails where the file is not a database; until the first read any file appears plain.
    public func checkIsDatabase() throws(MAMError) { _ = try source.first("PRAGMA schema_version") { $0.text(0) } }

    /// Copy the database into the empty file `beside`, in the kind that the URI parameters request, and replace the original.
    public func convert(to parameters: String, by beside: String) throws(MAMError) {
        try source.execute("PRAGMA locking_mode=EXCLUSIVE")
        let mode = try source.first("PRAGMA journal_mode") { $0.text(0) ?? "" }
        if mode == "wal" { try source.execute("PRAGMA journal_mode=DELETE") }
        // This lock lasts until the connection is closed, after the replacement.
        try source.execute("BEGIN EXCLUSIVE; COMMIT")
        do throws(MAMError) {
            try source.run("VACUUM INTO ?", .text("file:\(DatabaseConversion.escaped(beside))?\(parameters)"))
            if mode == "wal" {
                let copy = try Database(path: beside, mode: .readWrite, vfs: vfs)
                try copy.execute("PRAGMA journal_mode=WAL")
            }
            try check(files_replace(beside, path))
        } catch {
            try? clear(beside)
            throw error
        }
    }

    private func clear(_ beside: String) throws(MAMError) {
        for suffix in ["", "-journal", "-wal", "-shm"] { try check(files_remove(beside + suffix)) }
    }

    private func check(_ result: Int32) throws(MAMError) {
        guard result != 0 else { return }
        let code: MAMError.Code =
            switch Int(result) {
            case FILES_ENOSPC, FILES_EDQUOT: .noSpace
            case FILES_EACCES, FILES_EPERM, FILES_EROFS: .permission
            default: .io
            }
        throw MAMError(
            code,
            "\(path): cannot put the new file in its place: \(MAMError.systemText(result)); the database is as it was",
            [("path", .string(path)), ("errno", .integer(Int64(result)))])
    }

    /// Escape a path for a URI.
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
