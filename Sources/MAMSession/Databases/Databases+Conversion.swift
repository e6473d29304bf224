import CFiles
import MAMFiles
import MAMProtection
import MAMState
import MAMSupport

/// Encryption and decryption of databases as a whole.
extension Databases {
    /// `mam_sqlite_encrypt`: encrypts a database, unless it is.
    public func encrypt(_ path: String, for argument: AccountArgument) throws(MAMError) {
        try convert(path, argument, isEncrypting: true)
    }

    /// `mam_sqlite_decrypt`: makes a database plain, unless it is.
    public func decrypt(_ path: String, of argument: AccountArgument) throws(MAMError) {
        try convert(path, argument, isEncrypting: false)
    }

    private func convert(
        _ path: String, _ argument: AccountArgument, isEncrypting: Bool
    ) throws(MAMError) {
        guard case .named(let owner) = argument else { throw .argument("account", "is missing; name an account") }
        let file = try FilePath(Array(path.utf8))
        try owners.refuseLibraryFiles(file)
        // Links are followed, as SQLite does. SQLite takes a device for an empty database, and the conversion would replace the device.
        var facts = files_stat_t()
        let failure = files_stat(path, &facts)
        guard failure == 0 else { throw .file(failure, "convert it", path) }
        guard facts.mode & 0o170000 == 0o100000 else { throw .notRegular("convert it", path, mode: facts.mode) }
        let snapshot = try current()
        try snapshot.checkName(
            argument, refusalClause: "its databases are not \(isEncrypting ? "encrypted" : "made plain")")
        if isEncrypting, let account = snapshot.find(owner), account.policy != nil, try unsealEmpty(file, of: account) {
            setOwner(of: path, to: argument)
        }
        try checkForm(file)
        // Data that may not be protected in a buffer may not be encrypted here.
        if isEncrypting { _ = try keys.sealer(for: argument, content: .file) }
        let isManaged = snapshot.find(owner)?.policy != nil
        if isManaged || !isEncrypting { try checkOwner(file, owner, snapshot, isEncrypting: isEncrypting) }
        if let account = snapshot.find(owner) {
            try account.checkUsable()
            try account.checkReadable(screen)
        } else if let problem = snapshot.problem(of: owner) {
            throw problem
        }
        try withConversionVFS(of: owner) { (vfs) throws(MAMError) in
            let name = vfs.name
            let access = try snapshot.access(of: vfs)
            guard access.keyVersion != 0 || !isEncrypting else {
                throw .notEncrypted(path, for: argument)
            }
            let conversion = try DatabaseConversion(path, through: name, interrupts: interrupts)
            if conversion.path != path {
                let file = try FilePath(Array(conversion.path.utf8))
                try owners.refuseLibraryFiles(file)
                try checkOwner(file, owner, snapshot, isEncrypting: isEncrypting)
            }
            let isEncrypted = try conversion.isEncrypted()
            if isEncrypted { try checkOpens(conversion, for: owner, snapshot) }
            guard isEncrypted != isEncrypting else {
                if !isEncrypted { try conversion.checkIsDatabase() }
                return
            }
            try TemporaryFile(beside: conversion.path, state).use { (beside) throws(MAMError) in
                try conversion.convert(to: isEncrypting ? "vfs=\(name)&mam_encrypt=1" : "vfs=unix", by: beside)
            }
            // The index does not know the new file yet. Data of an unenrolled account keeps its attribute.
            if isManaged { setOwner(of: path, to: argument) }
            log.write(.info, "\(path): the database is \(isEncrypting ? "encrypted" : "plain") now")
        }
    }

    /// Fails for a file that SQLite would not recognise as a database, or take for an empty one.
    private func checkForm(_ path: FilePath) throws(MAMError) {
        switch try? SourceFile(path).kind {
        case .sealed:
            throw MAMError.unsupportedFile(
                path, "is a sealed file, and no database to SQLite; mam_file_decrypt makes a plain file of it first")
        case .container:
            throw MAMError.unsupportedFile(
                path,
                "holds a container, and no database; mam_file_decrypt, or mam_file_import where it was exported,"
                    + " makes a plain file of it first")
        case .databaseLog:
            throw MAMError.unsupportedFile(path, "is the log or journal of an encrypted database; name the database")
        case .plain, .database, nil: return
        }
    }

    /// Fails where no key of an account opens its encrypted database. A busy one is open elsewhere, so its key is there.
    private func checkOpens(
        _ conversion: DatabaseConversion, for owner: Identity, _ snapshot: Snapshot
    ) throws(MAMError) {
        do throws(MAMError) { try conversion.checkIsDatabase() } catch {
            guard error.code != .busy else { return }
            guard error.code == .damaged else { throw error }
            throw withoutKey(conversion.path, owner, snapshot)
        }
    }

    /// Returns the error for an encrypted database whose first page no key of an account opens.
    func withoutKey(_ path: String, _ owner: Identity, _ snapshot: Snapshot) -> MAMError {
        let (why, key) = snapshot.reasonWithoutKey(Array(owner.text.utf8), "database")
        return .file(
            .keyUnavailable, path,
            "is encrypted, and no key of \(owner.text) opens it: \(why), or its first page was changed",
            originalCode: .unmanagedIdentity, for: key)
    }

    /// Fails for a database of another account.
    private func checkOwner(
        _ path: FilePath, _ owner: Identity, _ snapshot: Snapshot, isEncrypting: Bool
    ) throws(MAMError) {
        // A link has no owner; its target is checked once it is open.
        guard let known = try? owners.find(path) else { return }
        if !known.isEncrypted { return try checkTransfer(of: known, path, owner, snapshot, isEncrypting) }
        if let error = encryptedForAnother(path, known, than: owner, snapshot) { throw error }
    }

    /// Returns the error for an encrypted database that another managed account owns; nil where none does.
    func encryptedForAnother(
        _ path: FilePath, _ known: FileOwnership, than owner: Identity?, _ snapshot: Snapshot
    ) -> MAMError? {
        let own = owner.flatMap { snapshot.find($0) }
        guard let account = snapshot.managedName(of: known),
            let other = snapshot.find(folded: Identity.fold(account)), other.row.id != own?.row.id
        else { return nil }
        func shown(_ account: Account?) -> String? { account.map { $0.record.upn ?? $0.accountId } }
        return .file(
            .keyUnavailable, path.text,
            "is encrypted for \(shown(other) ?? other.accountId), not for \(shown(own) ?? owner?.text ?? "no user")",
            originalCode: .unmanagedIdentity, for: .errorOtherAccount)
    }

    /// Fails where a plain database of another account would be decrypted, or where the transfer rule forbids its encryption for this
    /// account.
    private func checkTransfer(
        of known: FileOwnership, _ path: FilePath, _ owner: Identity, _ snapshot: Snapshot, _ isEncrypting: Bool
    ) throws(MAMError) {
        if isEncrypting {
            return try files.checkTransfer(
                of: known, at: path.text, to: .named(owner), snapshot, isUnmanaging: false)
        }
        let own = snapshot.find(owner)
        if let refusal = try plainForAnother(path.text, known, than: own, named: owner.text, snapshot) { throw refusal }
    }

    /// Returns the error for a plain database that another managed account owns; nil where none does.
    func plainForAnother(
        _ path: String, _ known: FileOwnership, than own: Account?, named name: String, _ snapshot: Snapshot
    ) throws(MAMError) -> MAMError? {
        let owners = try files.protectedOwners(of: known, path, snapshot)
        return owners.first { $0.row.id != own?.row.id }.map { other in
            .file(
                .denied, path, "is data of \(other.record.upn ?? other.accountId), not of \(name)",
                [("owner", .string(other.accountId))], for: .errorOtherAccount)
        }
    }
}
