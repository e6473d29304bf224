import CPlatform
import MAMFiles
import MAMSupport

/// Databases that are encrypted and decrypted as a whole.
extension Session {
    /// `mam_sqlite_encrypt`; nothing is done where it is encrypted.
    public func encryptDatabase(_ path: String, for argument: AccountArgument) throws(MAMError) {
        try convertDatabase(path, argument, isEncrypting: true)
    }

    /// `mam_sqlite_decrypt`; nothing is done where it is plain.
    public func decryptDatabase(_ path: String, of argument: AccountArgument) throws(MAMError) {
        try convertDatabase(path, argument, isEncrypting: false)
    }

    private func convertDatabase(
        _ path: String, _ argument: AccountArgument, isEncrypting: Bool
    ) throws(MAMError) {
        guard case .named(let owner) = argument else { throw .argument("account", "is missing; name an account") }
        let file = try FilePath(Array(path.utf8))
        try owners.refuseState(file)
        // Links are followed, as SQLite does. To SQLite a device is an empty database, whose place a file would take.
        var facts = platform_file_facts_t()
        let failure = platform_facts_of_path(path, &facts)
        guard failure == 0 else { throw .file(failure, "convert it", path) }
        guard facts.mode & 0o170000 == 0o100000 else { throw .notRegular("convert it", path, mode: facts.mode) }
        let snapshot = try current()
        let hasLeft = snapshot.find(owner)?.hasLeft == true
        if !hasLeft { try checkName(argument, snapshot, late: "its databases are closed") }
        try refuseOtherForm(file)
        // As for a buffer: whose data is closed or nobody's is told by what refuses it. What an account that was unenrolled
        // has left stays readable.
        if isEncrypting { _ = try sealer(for: argument, content: .file) }
        let isManaged = snapshot.find(owner)?.policy != nil
        if isManaged || !isEncrypting { try refuseForeign(file, owner, snapshot, isEncrypting: isEncrypting) }
        if let account = snapshot.find(owner) {
            try checkUsable(account)
        } else if let problem = snapshot.problem(of: owner) {
            throw problem
        }
        try databases.withPassing(of: owner) { (system) throws(MAMError) in
            let name = system.name
            guard let opening = databases.opening(system, snapshot) else {
                throw MAMError(
                    .notEnrolled,
                    "the account was wiped or unenrolled while this handle was open: its databases are closed",
                    [("accountId", .string(owner.text))])
            }
            guard opening.keys != 0 || !isEncrypting else {
                throw .file(
                    .notManaged, path, Session.notEncrypted(for: argument), originalCode: 106)
            }
            let conversion = try DatabaseConversion(path, through: name, interrupts: interrupts)
            if conversion.path != path {
                let file = try FilePath(Array(conversion.path.utf8))
                try refuseForeign(file, owner, snapshot, isEncrypting: isEncrypting)
            }
            guard try conversion.isEncrypted() != isEncrypting else {
                if !isEncrypting { try conversion.insistOnDatabase() }
                return
            }
            try EmptyFile(beside: conversion.path, state).use { (beside) throws(MAMError) in
                try conversion.convert(to: isEncrypting ? "vfs=\(name)&mam_encrypt=1" : "vfs=unix", by: beside)
            }
            // The index does not know the new file yet. What an unenrolled account has left keeps its attribute.
            if isManaged { own(path, argument) }
            log.write(.info, "\(path): the database is \(isEncrypting ? "encrypted" : "plain") now")
        }
    }

    /// To SQLite it would be no database, or an empty one.
    private func refuseOtherForm(_ path: FilePath) throws(MAMError) {
        switch try? SourceFile(path).form {
        case .sealed:
            throw Session.unsupported(
                path, "is a sealed file, and no database to SQLite; mam_file_decrypt makes a plain file of it first")
        case .container:
            throw Session.unsupported(
                path,
                "holds a container, and no database; mam_file_decrypt, or mam_file_import where it was exported,"
                    + " makes a plain file of it first")
        case .databaseLog:
            throw Session.unsupported(path, "is the log or journal of an encrypted database; name the database")
        case .plain, .database, nil: return
        }
    }

    /// To SQLite one of another account's could not be read.
    private func refuseForeign(
        _ path: FilePath, _ owner: Identity, _ snapshot: Snapshot, isEncrypting: Bool
    ) throws(MAMError) {
        // Of a link nothing is known; the file that it leads to is looked at once it is open.
        guard let known = try? owners.find(path) else { return }
        if !known.isEncrypted { return try refuseTransfer(of: known, path, owner, snapshot, isEncrypting) }
        guard let account = managed(known, snapshot),
            let holder = snapshot.find(folded: Identity.fold(account)), holder.row.id != snapshot.find(owner)?.row.id
        else { return }
        let name = holder.row.record.upn ?? holder.accountId
        throw .file(
            .keyUnavailable, path.text, "is encrypted for \(name), not for \(owner.text)",
            originalCode: 106)
    }

    /// A plain database that another account owns is encrypted for this one where the transfer rule allows it, and is not this
    /// one's to decrypt.
    private func refuseTransfer(
        of known: FileOwner, _ path: FilePath, _ owner: Identity, _ snapshot: Snapshot, _ isEncrypting: Bool
    ) throws(MAMError) {
        if isEncrypting {
            return try checkTransfer(
                of: known, at: path.text, to: .named(owner), snapshot, isUnmanaging: false)
        }
        let own = snapshot.find(owner)?.row.id
        for other in try protectedOwners(of: known, path.text, snapshot) where other.row.id != own {
            throw .file(
                .denied, path.text, "is data of \(other.record.upn ?? other.accountId), not of \(owner.text)",
                [("owner", .string(other.accountId))])
        }
    }
}
