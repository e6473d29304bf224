import MAMFiles
import MAMProtection
import MAMSupport

/// Encryption and decryption of files as a whole.
extension FileConversions {
    /// `mam_file_encrypt`: seals a file for a managed account, unless it is sealed for it already.
    public func encrypt(_ path: FilePath, for argument: AccountArgument) throws(MAMError) {
        try owners.refuseLibraryFiles(path)
        let snapshot = try current()
        if case .noUser = argument {
            throw .argument("account", "is \"\": nothing is encrypted for no user", originalCode: .unmanagedIdentity)
        }
        let named = files.givenOrEffective(argument, snapshot)
        let account = try snapshot.managedFileOwner(of: named)
        guard let owner = account, let key = owner.key else {
            throw .notEncrypted(path.text, for: named)
        }
        let location = try FileLocation(path)
        try owners.authorize(location, files.authorizing(for: named, snapshot, isUnmanaging: false))
        let conversion = try FileConversion(location, isInPlace: true, state)
        if try !isSealed(conversion, for: owner, key, snapshot) {
            try files.convert(conversion, path, snapshot, to: owner, key)
        }
        try owners.set(path, to: try files.owner(for: named), isInterrupted: { false })
    }

    /// Whether a file is sealed for an account already: a sealed file under `key`, a container under any key of the account.
    private func isSealed(
        _ conversion: FileConversion, for owner: Account, _ key: DataKey, _ snapshot: Snapshot
    ) throws(MAMError) -> Bool {
        switch conversion.kind {
        case .sealed(let header): return header.names(key)
        case .container(let header) where header.algorithm == ContainerHeader.sealed:
            return try keys.dataKey(named: header.keyId, epoch: header.epoch, in: snapshot)?.owner === owner
        default: return false
        }
    }

    /// `mam_file_decrypt`: makes a file plain, unless it is.
    public func decrypt(_ path: FilePath) throws(MAMError) {
        let snapshot = try current()
        let conversion = try FileConversion(try FileLocation(path), isInPlace: true, state)
        if case .plain = conversion.kind { return }
        // Where label and content name different accounts, the file belongs to the account that sealed the content.
        let former = try owners.find(path)
        let sealedFor = try former.dataKey.flatMap { (key) throws(MAMError) in
            try keys.dataKey(named: key.id, epoch: key.epoch, in: snapshot)?.owner
        }
        try snapshot.checkIsKnown(former, path.text)
        let others = try snapshot.accounts(owning: former) ?? []
        try snapshot.checkReleasable([sealedFor].compactMap { $0 } + others, named: [], path.text)
        try files.convert(conversion, path, snapshot, to: nil, nil)
        // The conversion made a new inode, which the index does not know.
        try restoreOwner(sealedFor.map { Array($0.accountId.utf8) } ?? former.account, of: path, snapshot)
    }

    /// Labels a new inode with the owner of the former one.
    private func restoreOwner(_ former: [UInt8]?, of path: FilePath, _ snapshot: Snapshot) throws(MAMError) {
        guard snapshot.isManaging, let former else { return }
        try owners.set(path, to: snapshot.label(of: try AccountArgument(bytes: former)), isInterrupted: { false })
    }

    /// `mam_file_decrypt_copy`.
    public func decrypt(_ path: FilePath, toCopy target: FilePath) throws(MAMError) {
        try owners.refuseLibraryFiles(target, argument: "target")
        let snapshot = try current()
        let conversion = try FileConversion(try FileLocation(path), isInPlace: false, state)
        let known = try owners.find(path)
        let former = try files.protectedOwners(of: known, path.text, snapshot)
        let key = try files.opener(of: conversion, path, snapshot, sealingFor: nil)
        try files.checkTarget(target, of: former, "target", snapshot)
        let wait = interrupts.beginWait()
        try conversion.copyPlain(openedBy: key, to: target) { () throws(MAMError) in try wait.checkBeforeConversion() }
        // A wipe finds files by the index.
        try restoreOwner(former.first.map { Array($0.accountId.utf8) }, of: target, snapshot)
    }

    /// `mam_file_is_encrypted`.
    public func isEncrypted(_ path: FilePath) throws(MAMError) -> Bool {
        try FileLocation(path).find(.reading).isEncrypted()
    }
}
