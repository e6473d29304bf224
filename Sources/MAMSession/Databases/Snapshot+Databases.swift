import MAMFiles
import MAMPolicy
import MAMProtection

/// Access to databases.
extension Snapshot {
    /// Returns how a file system may be used; nil where it is closed. The rules are those of buffers, except that a launch that closes
    /// the account closes its open databases too.
    func access(of vfs: DatabaseVFS) -> DatabaseAccess? {
        let personal = DatabaseAccess(isEncrypting: false, keyVersion: 0)
        guard let owner = vfs.owner else { return personal }
        if find(owner)?.launchBlock != nil { return nil }
        switch status(of: owner) {
        case .closed, .wiping, .unknownMember: return nil
        case .personal: return personal
        case .managed(let account):
            guard account.problem == nil else { return nil }
            return DatabaseAccess(
                isEncrypting: account.ownAccountPolicy.encryptsFiles, keyVersion: account.databaseKeyVersion)
        case .unmanaged(let account):
            return DatabaseAccess(isEncrypting: false, keyVersion: account?.databaseKeyVersion ?? 0)
        case .retired:
            guard let account = find(owner), account.key != nil else { return nil }
            return DatabaseAccess(
                isEncrypting: false, allowsNew: vfs.isForConversion, keyVersion: account.databaseKeyVersion)
        }
    }

    /// Whether the account of a file system is being wiped, or has no key any more.
    func isWiped(_ vfs: DatabaseVFS) -> Bool {
        guard let owner = vfs.owner else { return false }
        switch status(of: owner) {
        case .wiping: return true
        case .retired: return find(owner)?.key == nil
        default: return false
        }
    }
}

extension Account {
    /// A number that changes with the newest key; 0 without one.
    fileprivate var databaseKeyVersion: UInt64 { key?.id.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0 }
}
