import MAMFiles
import MAMPolicy
import MAMProtection
import MAMSupport

/// Access to databases.
extension Snapshot {
    /// Returns how a file system may be used; fails where it is closed. The rules are those of buffers, except that a launch that
    /// closes the account closes its open databases too.
    func access(of vfs: DatabaseVFS) throws(MAMError) -> DatabaseAccess {
        let personal = DatabaseAccess(encryptsNew: false, keyVersion: 0)
        guard let owner = vfs.owner else { return personal }
        try find(owner)?.checkNotBlockedByLaunch()
        let status = status(of: owner)
        if case .retired = status, let account = find(owner), account.key != nil {
            return DatabaseAccess(
                encryptsNew: false, allowsNew: vfs.isForConversion, keyVersion: account.databaseKeyVersion)
        }
        if let refusal = error(for: owner, status, "its databases are closed") { throw refusal }
        switch status {
        case .managed(let account):
            if let problem = account.problem { throw problem }
            return DatabaseAccess(
                encryptsNew: account.ownAccountPolicy.encryptsFiles, keyVersion: account.databaseKeyVersion,
                followsScreen: account.lockedReading != .allowed)
        case .unmanaged(let account):
            return DatabaseAccess(encryptsNew: false, keyVersion: account?.databaseKeyVersion ?? 0)
        default: return personal
        }
    }

    /// The reason why no new database is made with a file system.
    func refusalOfNew(_ vfs: DatabaseVFS) -> MAMError? {
        vfs.owner.flatMap { error(for: $0, status(of: $0), "no new database is made for it") }
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
