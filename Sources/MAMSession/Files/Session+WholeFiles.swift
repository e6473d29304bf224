import MAMFiles
import MAMProtection
import MAMSupport

/// Files that are encrypted and decrypted as a whole.
extension Session {
    /// `mam_file_encrypt`: seal what is there for a managed account; nothing is done where that is so.
    public func encryptFile(_ path: String, for argument: AccountArgument) throws(MAMError) {
        let snapshot = try current()
        if case .noUser = argument {
            throw .argument("account", "is \"\": nothing is encrypted for no user", originalCode: 106)
        }
        guard let owner = try fileOwner(try orEffective(argument, snapshot), snapshot), let key = owner.key else {
            throw MAMError(
                .notManaged, "\(path): is not encrypted for an account that is not managed",
                [("path", .string(path)), ("originalCode", 106)])
        }
        let conversion = try Conversion(path, isInPlace: true, try sharedLocks())
        if let header = conversion.header, header.names(key) { return }
        try convert(conversion, path, snapshot, to: owner, key)
    }

    /// `mam_file_decrypt`: make it a plain file again; nothing is done where it is one.
    public func decryptFile(_ path: String) throws(MAMError) {
        let snapshot = try current()
        let conversion = try Conversion(path, isInPlace: true, try sharedLocks())
        guard conversion.header != nil else { return }
        try convert(conversion, path, snapshot, to: nil, nil)
    }

    /// `mam_file_decrypt_copy`.
    public func decryptFile(_ path: String, toCopy target: String) throws(MAMError) {
        let snapshot = try current()
        let conversion = try Conversion(path, isInPlace: false, try sharedLocks())
        let (key, owner) = try fileKey(conversion.header, path, snapshot)
        if let owner { try checkUnguarded(owner) }
        let wait = interrupts.begin()
        try conversion.copyPlain(openedBy: key, to: target) { () throws(MAMError) in try Session.check(wait) }
    }

    /// `mam_file_is_encrypted`.
    public func isFileEncrypted(_ path: String) throws(MAMError) -> Bool {
        try FilePlace(path).find(try OpenFlags(0)).header != nil
    }

    func convert(
        _ conversion: Conversion, _ path: String, _ snapshot: Snapshot, to owner: Account?, _ newKey: DataKey?
    ) throws(MAMError) {
        let (key, former) = try fileKey(conversion.header, path, snapshot)
        if let former { try checkUnguarded(former) }
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
