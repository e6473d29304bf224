import MAMFiles
import MAMProtection
import MAMSupport

/// Files that are encrypted and decrypted as a whole.
extension Session {
    /// `mam_file_encrypt`: seal what is there for a managed account; nothing is done where that is so.
    public func encryptFile(_ path: FilePath, for argument: AccountArgument) throws(MAMError) {
        try owners.refuseState(path)
        let snapshot = try current()
        if case .noUser = argument {
            throw .argument("account", "is \"\": nothing is encrypted for no user", originalCode: 106)
        }
        let named = orEffective(argument, snapshot)
        let account = try managedOwner(of: named, snapshot, late: Session.notPersonal)
        guard let owner = account, let key = owner.key else {
            throw .file(
                .notManaged, path.text, Session.notEncrypted(for: named), originalCode: 106)
        }
        let place = try FilePlace(path)
        try owners.judge(place, judging(for: named, snapshot))
        let conversion = try Conversion(place, isInPlace: true, state)
        if try !isSealed(conversion, for: owner, key, snapshot) {
            try convert(conversion, path, snapshot, to: owner, key)
        }
        try owners.set(path, to: try self.owner(for: named)) { false }
    }

    /// Nobody's key is there to encrypt with.
    static func notEncrypted(for account: AccountArgument) -> String {
        guard let name = account.identity?.text else {
            return "is not encrypted: no account is named, and the thread acts for none"
        }
        return "is not encrypted: \(name) is not a managed account in this app; enroll it first, or name another"
    }

    /// Whether nothing is left to do: a container is not made anew for being an older one.
    private func isSealed(
        _ conversion: Conversion, for owner: Account, _ key: DataKey, _ snapshot: Snapshot
    ) throws(MAMError) -> Bool {
        switch conversion.form {
        case .sealed(let header): return header.names(key)
        case .container(let header) where header.algorithm == ContainerHeader.sealed:
            return try dataKey(named: header.keyId, epoch: header.epoch, in: snapshot)?.owner === owner
        default: return false
        }
    }

    /// `mam_file_decrypt`: make it a plain file again; nothing is done where it is one.
    public func decryptFile(_ path: FilePath) throws(MAMError) {
        let snapshot = try current()
        let conversion = try Conversion(try FilePlace(path), isInPlace: true, state)
        if case .plain = conversion.form { return }
        // Sealed for another account than the label's, the content is that account's.
        let former = try owners.find(path)
        let sealedFor = try former.dataKey.flatMap { (key) throws(MAMError) in
            try dataKey(named: key.id, epoch: key.epoch, in: snapshot)?.owner
        }
        try convert(conversion, path, snapshot, to: nil, nil)
        // The index knows files by what the system calls them, and it is another one now.
        try keep(sealedFor.map { Array($0.accountId.utf8) } ?? former.account, of: path, snapshot)
    }

    private func keep(_ former: [UInt8]?, of path: FilePath, _ snapshot: Snapshot) throws(MAMError) {
        guard snapshot.isManaging, let former else { return }
        try owners.set(path, to: label(of: try AccountArgument(bytes: former), snapshot)) { false }
    }

    /// `mam_file_decrypt_copy`.
    public func decryptFile(_ path: FilePath, toCopy target: FilePath) throws(MAMError) {
        try owners.refuseState(target, argument: "target")
        let snapshot = try current()
        let conversion = try Conversion(try FilePlace(path), isInPlace: false, state)
        let known = try owners.find(path)
        let holders = try protectedOwners(of: known, path.text, snapshot)
        let key = try opener(of: conversion, path, snapshot)
        try refuseForeignTarget(target, of: holders, "target", snapshot)
        let wait = interrupts.begin()
        try conversion.copyPlain(openedBy: key, to: target) { () throws(MAMError) in try Session.check(wait) }
        // A wipe looks where the index knows something.
        try keep(holders.first.map { Array($0.accountId.utf8) }, of: target, snapshot)
    }

    /// The managed account of this app whose a file is: nothing contradicts that, or its content says so where nothing else does.
    func managed(_ owner: FileOwner, _ snapshot: Snapshot) -> [UInt8]? {
        let isOurs = owner.isAuthenticated && isOfThisApp(owner)
        guard owner.disagreement == nil, isOurs || owner.source == .content, let name = owner.account,
            let identity = try? Identity(String(decoding: name, as: UTF8.self)), snapshot.find(identity)?.policy != nil
        else { return nil }
        return name
    }

    /// `mam_file_is_encrypted`.
    public func isFileEncrypted(_ path: FilePath) throws(MAMError) -> Bool {
        try FilePlace(path).find(.reading).isEncrypted()
    }

    func convert(
        _ conversion: Conversion, _ path: FilePath, _ snapshot: Snapshot, to owner: Account?, _ newKey: DataKey?
    ) throws(MAMError) {
        let key = try opener(of: conversion, path, snapshot)
        let wait = interrupts.begin()
        try conversion.convert(openedBy: key, to: Array((owner?.accountId ?? "").utf8), sealedBy: newKey) {
            () throws(MAMError) in try Session.check(wait)
        }
    }

    private static func check(_ wait: Interrupts.Wait) throws(MAMError) {
        guard wait.isOver else { return }
        throw MAMError(.interrupted, "the call was interrupted; the file is as it was")
    }
}
