import MAMFiles
import MAMProtection
import MAMState
import MAMSupport

/// Keys of sealed files, and the conversion of files as a whole.
extension Files {
    func key(
        of header: SealedFileHeader?, _ path: String, _ snapshot: Snapshot
    ) throws(MAMError) -> (key: DataKey?, owner: Account?) {
        guard let header else { return (nil, nil) }
        if let (key, owner) = try keys.dataKey(named: header.keyId, epoch: header.epoch, in: snapshot) {
            return (key, owner)
        }
        // Another process may have sealed it since the snapshot, under a newer key.
        let latest = try current()
        if latest.generationWord != snapshot.generationWord,
            let (key, owner) = try keys.dataKey(named: header.keyId, epoch: header.epoch, in: latest)
        {
            return (key, owner)
        }
        let name = String(decoding: header.accountId, as: UTF8.self)
        try latest.checkOpens(header.accountId)
        let key = hexadecimal(header.keyId)
        let (why, messageKey) = latest.reasonWithoutKey(header.accountId, "file")
        throw MAMError(
            .keyUnavailable, "\(path): is sealed for \(name) under key \(key), which is not here: \(why)",
            [
                ("path", .string(path)), ("accountId", .string(name)), ("keyId", .string(key)),
                OriginalCode.failedToDecrypt.detail,
            ], for: messageKey)
    }

    func opener(
        of conversion: FileConversion, _ path: FilePath, _ snapshot: Snapshot, sealingFor owner: Account?
    ) throws(MAMError) -> OpeningKey? {
        switch conversion.kind {
        case .plain:
            // Sealing an account's own plain data shows nothing of it: like mam_protect, it needs no open account.
            for account in try accounts(of: conversion.file, at: conversion.location, snapshot)
            where account.row.id != owner?.row.id { try account.checkReadable(screen) }
            return nil
        case .sealed(let header):
            let (key, owner) = try self.key(of: header, path.text, snapshot)
            if let owner { try owner.checkReadable(screen) }
            return key.map { .sealed($0) }
        case .container(let header): return try opener(ofFile: header, path)
        case .database:
            throw MAMError.unsupportedFile(
                path, "is an encrypted SQLite database; mam_sqlite_decrypt makes it plain, and SQLite reads it")
        case .databaseLog:
            throw MAMError.unsupportedFile(
                path, "is the log or journal of an encrypted SQLite database, which SQLite reads with the database")
        }
    }

    private func opener(ofFile header: ContainerHeader, _ path: FilePath) throws(MAMError) -> OpeningKey {
        do throws(MAMError) { return try keys.opener(for: header, isStrict: false).key } catch {
            // Only an export makes a container of a file's content.
            guard error.code == .keyUnavailable, header.algorithm == ContainerHeader.sealed, header.content == .file
            else { throw error }
            let name = String(decoding: header.accountId, as: UTF8.self)
            throw MAMError.unsupportedFile(
                path, "was exported for managed apps of \(name); mam_file_import takes it in",
                [("accountId", .string(name))])
        }
    }

    func convert(
        _ conversion: FileConversion, _ path: FilePath, _ snapshot: Snapshot, to owner: Account?, _ newKey: DataKey?
    ) throws(MAMError) {
        let key = try opener(of: conversion, path, snapshot, sealingFor: newKey == nil ? nil : owner)
        let wait = interrupts.beginWait()
        try conversion.convert(openedBy: key, to: Array((owner?.accountId ?? "").utf8), sealedBy: newKey) {
            () throws(MAMError) in try wait.checkBeforeConversion()
        }
    }
}
