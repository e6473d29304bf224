import MAMFiles
import MAMProtection
import MAMState
import MAMSupport
import Synchronization

/// The keys that databases use.
protocol DatabaseKeys: AnyObject, Sendable {
    /// Returns the sealer of an account's data; fails where nothing may be protected for it.
    func sealer(for argument: AccountArgument, content: ContentType) throws(MAMError) -> Sealer
    /// Makes a new data key of an account; returns its epoch.
    func beginEpoch(of account: AccountRowID) throws(MAMError) -> Int64
}

/// The SQLite file systems that the host has registered. They follow the session's snapshots.
public final class Databases: SessionService, WipedDatabases, Sendable {
    let context: SessionContext
    let keys: any DatabaseKeys
    let files: any FileOwnerChecks
    private let whileOpen: WhileOpen
    private let vfsList = Locked<[DatabaseVFS]>([])
    /// The number of the latest conversion; its file system's name contains it.
    private static let conversions = Atomic<UInt64>(0)

    /// Runs a function while the session with this token is open; returns the reason if it is not. A file system may outlive its
    /// session.
    typealias WhileOpen = @Sendable (_ token: UInt, _ body: () -> Void) -> MAMError?

    init(
        _ context: SessionContext, _ keys: any DatabaseKeys, _ files: any FileOwnerChecks,
        whileOpen: @escaping WhileOpen
    ) {
        (self.context, self.keys, self.files, self.whileOpen) = (context, keys, files, whileOpen)
    }

    var owners: OwnershipStore { OwnershipStore(state, libraryFiles) }

    /// `mam_sqlite_vfs_register`.
    public func register(named name: Identity, of argument: AccountArgument) throws(MAMError) {
        guard argument != .notGiven else {
            throw .argument("account", "is missing; name an account, or \"\" for no user")
        }
        let snapshot = try current()
        try snapshot.checkNotExchanged(argument, with: ArgumentBesideAccount("name", .vfs, name.text))
        // Data of an unenrolled account stays readable.
        if argument.identity.flatMap({ snapshot.find($0) })?.hasLeft != true {
            try snapshot.checkName(argument, refusalClause: "its databases are closed")
        }
        let owner = snapshot.stable(argument).identity
        let isRegistered = vfsList.withLock { $0.contains { $0.name == name.text && $0.owner == owner } }
        if !isRegistered { _ = try makeVFS(name.text, owner) }
    }

    /// Calls `body` with a file system of an account that is registered with SQLite for the duration of the call.
    func withConversionVFS<R>(
        of owner: Identity, isProbe: Bool = false, _ body: (DatabaseVFS) throws(MAMError) -> R
    ) throws(MAMError) -> R {
        let number = Databases.conversions.wrappingAdd(1, ordering: .relaxed).newValue
        let vfs = try makeVFS("mam-conversion-\(number)", owner, isForConversion: true, isProbe: isProbe)
        defer { remove(vfs) }
        return try body(vfs)
    }

    func makeVFS(
        _ name: String, _ owner: Identity?, isForConversion: Bool = false, isProbe: Bool = false
    ) throws(MAMError) -> DatabaseVFS {
        let vfs = DatabaseVFS(
            name: name, owner: owner, isForConversion: isForConversion, isProbe: isProbe, delegateAccess)
        try vfs.register(context.token, state.words)
        do throws(MAMError) {
            try snapshots.whileNoneIsPublished { latest in
                vfsList.withLock { $0.append(vfs) }
                setAccess(by: latest, of: vfs)
            }
        } catch {
            vfs.unregister()
            throw error
        }
        return vfs
    }

    private var delegateAccess: DatabaseVFS.DelegateAccess {
        { [weak self, whileOpen, token = context.token] body in
            whileOpen(token) { if let self { body(self) } }
        }
    }

    private func remove(_ vfs: DatabaseVFS) {
        vfsList.withLock { $0.removeAll { $0 === vfs } }
        vfs.unregister()
    }

    /// Sets every file system's access by a snapshot. No other snapshot is published meanwhile.
    func follow(_ snapshot: Snapshot) {
        for vfs in vfsList.withLock({ $0 }) {
            setAccess(by: snapshot, of: vfs)
            if snapshot.isWiped(vfs) { _ = vfs.interrupt() }
        }
    }

    private func setAccess(by snapshot: Snapshot, of vfs: DatabaseVFS) {
        if let owner = vfs.owner, case .named(let stable) = snapshot.stable(.named(owner)) { vfs.setOwner(stable) }
        vfs.setAccess(try? snapshot.access(of: vfs), generationWord: snapshot.generationWord)
    }

    func interruptConnections(of entry: WipeEntry) -> Int {
        vfsList.withLock { $0 }.reduce(0) { count, vfs in
            vfs.owner.map(entry.isOf) ?? false ? count + vfs.interrupt() : count
        }
    }

    /// Closes every file system.
    func close(isForked: Bool) {
        let all = vfsList.withLock { vfsList -> [DatabaseVFS] in
            defer { vfsList = [] }
            return vfsList
        }
        for vfs in all { isForked ? vfs.abandon() : vfs.unregister() }
    }

    var locks: [any ForkAware] { [vfsList] }
}
