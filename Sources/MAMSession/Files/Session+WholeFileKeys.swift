import MAMFiles
import MAMProtection
import MAMSupport

/// What opens a file that is given another form as a whole, where its owner's data may be opened.
extension Session {
    /// nil where it is plain.
    func opener(
        of conversion: Conversion, _ path: FilePath, _ snapshot: Snapshot
    ) throws(MAMError) -> OpeningKey? {
        switch conversion.form {
        case .plain:
            for holder in try holders(of: conversion.file, at: conversion.place, snapshot) {
                try checkUnguarded(holder)
            }
            return nil
        case .sealed(let header):
            let (key, owner) = try fileKey(header, path.text, snapshot)
            if let owner { try checkUnguarded(owner) }
            return key.map { .sealed($0) }
        case .container(let header): return try opener(ofFile: header, path)
        case .database:
            throw Session.unsupported(
                path, "is an encrypted SQLite database; mam_sqlite_decrypt makes it plain, and SQLite reads it")
        case .databaseLog:
            throw Session.unsupported(
                path, "is the log or journal of an encrypted SQLite database, which SQLite reads with the database")
        }
    }

    private func opener(ofFile header: ContainerHeader, _ path: FilePath) throws(MAMError) -> OpeningKey {
        do throws(MAMError) { return try opener(for: header).key } catch {
            // Nothing but an export makes a file of this app's, or another's, a container.
            guard error.code == .keyUnavailable, header.algorithm == ContainerHeader.sealed, header.content == .file
            else { throw error }
            let name = String(decoding: header.accountId, as: UTF8.self)
            throw Session.unsupported(
                path, "was exported for managed apps of \(name); mam_file_import takes it in",
                [("accountId", .string(name))])
        }
    }

    /// What has another form than a call takes: the message names the one that does.
    static func unsupported(
        _ path: FilePath, _ what: String, _ more: [(key: String, value: JSON)] = []
    ) -> MAMError {
        .file(.unsupported, path.text, what, originalCode: 107, more)
    }
}
