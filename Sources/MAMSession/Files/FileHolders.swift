import MAMFiles
import MAMState
import MAMSupport

/// The managed accounts whose a plain file is that a handle works on. Anybody may be given the file meanwhile, so it is asked
/// again whenever the state has changed. Whose it once was stays its holder: the handle is of no use to find out more.
final class FileHolders: @unchecked Sendable {
    private let lock = Lock()  // guards both
    private var accounts: [AccountRowID]
    private var asked: UInt64  // the number of the snapshot

    init(_ accounts: [Account], _ snapshot: Snapshot) {
        self.accounts = accounts.map(\.row.id)
        asked = snapshot.number
    }

    /// As far as they are known.
    var known: [AccountRowID] { lock.held { accounts } }

    /// What they are at a snapshot; `look` finds those that hold it now, nil where one of them is gone.
    func current(
        _ snapshot: Snapshot, look: () throws(MAMError) -> [Account]?
    ) throws(MAMError) -> [AccountRowID]? {
        let held = lock.held { asked == snapshot.number ? accounts : nil }
        if let held { return held }
        guard let found = try look() else { return nil }
        return lock.held {
            for account in found where !accounts.contains(account.row.id) { accounts.append(account.row.id) }
            asked = snapshot.number
            return accounts
        }
    }
}

extension Session {
    /// The managed accounts whose a plain file is; none where it is nobody's.
    func holders(
        of file: FoundFile, at place: FilePlace, _ snapshot: Snapshot
    ) throws(MAMError) -> [Account] {
        guard snapshot.knowsAnybody else { return [] }
        guard let holders = try holders(of: try owners.find(file, at: place), snapshot) else {
            throw MAMError(
                .notEnrolled, "\(place.shown): its account was wiped or unenrolled while this handle was open",
                [("path", .string(place.shown))])
        }
        return holders
    }

    /// Refuses a plain file of an account that may not be read now, or is gone.
    func checkReadable(_ owner: FileOwner, _ path: FilePath, _ snapshot: Snapshot) throws(MAMError) {
        guard let holders = try holders(of: owner, snapshot) else {
            throw .file(.notEnrolled, path.text, "its account was wiped or unenrolled")
        }
        for holder in holders { try checkUnguarded(holder) }
    }

    /// Whether the account that a file is said to be of is this app's.
    func isOfThisApp(_ owner: FileOwner) -> Bool { owner.app == Array(settings.managedApp.utf8) }

    /// Those that are known for sure; nil where one of them is being wiped, or was while this session was open.
    func holders(of owner: FileOwner, _ snapshot: Snapshot) throws(MAMError) -> [Account]? {
        guard owner.isAuthenticated, isOfThisApp(owner) else { return [] }
        let names = try snapshot.names.get()
        var holders: [Account] = []
        for name in [owner.account, owner.indexed] {
            guard let name, let identity = try? Identity(String(decoding: name, as: UTF8.self)) else { continue }
            if let account = snapshot.find(identity) {
                if let problem = account.problem { throw problem }
                holders.append(account)
            } else if let problem = snapshot.problem(of: identity) {
                throw problem
            } else if snapshot.wipe(of: identity) != nil || names.isRetired(identity.folded) {
                return nil
            }
        }
        return holders
    }
}

extension Snapshot {
    /// Whether files can be anybody's here.
    fileprivate var knowsAnybody: Bool {
        !accounts.isEmpty || !closed.isEmpty || !wipes.isEmpty || (try? names.get())?.hasRetired ?? true
    }
}
