import MAMFiles
import MAMProtection
import MAMState
import MAMSupport
import Synchronization

/// The parts of a session that its databases depend on.
protocol DatabasesOwner: AnyObject {
    /// The session's token in this process; 0 until it is opened.
    var token: UInt { get }
    /// Give an account its next key, and answer by it; the result is its epoch.
    func beginEpoch(of account: AccountRowID) throws(MAMError) -> Int64
    /// Write down whose a new database is, as far as that can be done.
    func own(_ path: String, _ argument: AccountArgument)
    /// Whether a database at a path would be its directory's.
    func isOfDirectory(_ path: String) -> Bool
}

/// The SQLite file systems of a session: they answer by its snapshots, and close with it.
final class Databases: @unchecked Sendable {
    private let systems = Locked<[DatabaseFileSystem]>([])
    let snapshots: Snapshots
    let state: State
    let log: Log
    /// Set once, as soon as there is one: before any file system is made.
    unowned var owner: (any DatabasesOwner)?
    /// Numbers of the names that conversions have for as long as they run.
    private static let conversions = Atomic<UInt64>(0)

    init(_ snapshots: Snapshots, _ state: State, _ log: Log) {
        (self.snapshots, self.state, self.log) = (snapshots, state, log)
    }

    /// Make SQLite know a file system of an account's; nothing where it does.
    func register(_ name: String, of owner: Identity?) throws(MAMError) {
        let isThere = systems.held { $0.contains { $0.name == name && $0.owner == owner } }
        if !isThere { _ = try make(name, owner) }
    }

    /// Run with a file system of an account's, under a name that SQLite knows as long as that takes.
    func withPassing<R>(
        of owner: Identity, isQuiet: Bool = false, _ body: (DatabaseFileSystem) throws(MAMError) -> R
    ) throws(MAMError) -> R {
        let number = Databases.conversions.wrappingAdd(1, ordering: .relaxed).newValue
        let system = try make("mam-conversion-\(number)", owner, isPassing: true, isQuiet: isQuiet)
        defer { forget(system) }
        return try body(system)
    }

    func make(
        _ name: String, _ owner: Identity?, isPassing: Bool = false, isQuiet: Bool = false
    ) throws(MAMError) -> DatabaseFileSystem {
        let token = self.owner?.token ?? 0
        let system = DatabaseFileSystem(
            name: name, owner: owner, isPassing: isPassing, isQuiet: isQuiet, Session.entrance(token))
        try system.register(token, state.words)
        do throws(MAMError) {
            try snapshots.whileNoneIsPublished { latest in
                systems.held { $0.append(system) }
                publish(latest, to: system)
            }
        } catch {
            system.unregister()
            throw error
        }
        return system
    }

    private func forget(_ system: DatabaseFileSystem) {
        systems.held { $0.removeAll { $0 === system } }
        system.unregister()
    }

    /// Every file system answers by a snapshot. No other is published meanwhile.
    func publish(_ snapshot: Snapshot) {
        for system in systems.held({ $0 }) {
            publish(snapshot, to: system)
            if isWiped(system, snapshot) { _ = system.interrupt() }
        }
    }

    private func publish(_ snapshot: Snapshot, to system: DatabaseFileSystem) {
        if let owner = system.owner, case .named(let stable) = snapshot.stable(.named(owner)) { system.follow(stable) }
        system.publish(opening(system, snapshot), generation: snapshot.generation)
    }

    /// Whether the account of a file system is being wiped, or has no key any more.
    private func isWiped(_ system: DatabaseFileSystem, _ snapshot: Snapshot) -> Bool {
        guard let owner = system.owner else { return false }
        switch snapshot.standing(of: owner) {
        case .wiping: return true
        case .retired: return snapshot.find(owner)?.key == nil
        default: return false
        }
    }

    /// How many connections of this process to the databases of a wiped account are in a transaction.
    func countOpen(of entry: WipeEntry) -> Int {
        systems.held { $0 }.reduce(0) { count, system in
            system.owner.map(entry.isOf) ?? false ? count + system.interrupt() : count
        }
    }

    /// Nothing is opened any more.
    func close(isForked: Bool) {
        let all = systems.held { systems -> [DatabaseFileSystem] in
            defer { systems = [] }
            return systems
        }
        for system in all { isForked ? system.abandon() : system.unregister() }
    }

    /// nil: closed. As for buffers, and a launch that found the account closed closes what is open already.
    func opening(_ system: DatabaseFileSystem, _ snapshot: Snapshot) -> DatabaseOpening? {
        let personal = DatabaseOpening(isEncrypting: false, keys: 0)
        guard let owner = system.owner else { return personal }
        // A launch that found the account closed closes its databases, whatever the name means now.
        if snapshot.find(owner)?.launchGuard != nil { return nil }
        switch snapshot.standing(of: owner) {
        case .closed, .wiping, .unknownMember: return nil
        case .personal: return personal
        case .managed(let account):
            guard account.problem == nil else { return nil }
            return DatabaseOpening(isEncrypting: account.ownParty.encryptsFiles, keys: account.databaseKeys)
        case .known(let account): return DatabaseOpening(isEncrypting: false, keys: account?.databaseKeys ?? 0)
        case .retired:
            guard let account = snapshot.find(owner), account.key != nil else { return nil }
            return DatabaseOpening(isEncrypting: false, takesNew: system.isPassing, keys: account.databaseKeys)
        }
    }

    func beforeFork() { systems.beforeFork() }
    func afterForkInParent() { systems.afterForkInParent() }
    func afterForkInChild() { systems.afterForkInChild() }
}

extension Account {
    /// Another number whenever its newest key is another one; 0 where it has none.
    fileprivate var databaseKeys: UInt64 { key?.id.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0 }
}
