import CEncryptedSQLite
import MAMFiles
import MAMPolicy
import MAMProtection
import MAMState
import MAMSupport

extension Session {
    /// `mam_sqlite_vfs_register`.
    public func registerDatabases(named name: String, of argument: AccountArgument) throws(MAMError) {
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
            throw .argument("name", "is empty, or has a blank or a control character")
        }
        guard argument != .notGiven else {
            throw .argument("account", "is missing; name an account, or \"\" for no user")
        }
        let snapshot = try current()
        // Data of an unenrolled account stays readable.
        if argument.identity.flatMap({ snapshot.find($0) })?.hasLeft != true {
            try checkName(argument, snapshot, late: "its databases are closed")
        }
        let owner = snapshot.stable(argument).identity
        let isThere = lock.held { databases.contains { $0.name == name && $0.owner == owner } }
        if !isThere { _ = try register(name, owner) }
    }

    func register(
        _ name: String, _ owner: Identity?, isPassing: Bool = false, isQuiet: Bool = false
    ) throws(MAMError) -> DatabaseSystem {
        let system = DatabaseSystem(name: name, owner: owner, token: token, isPassing: isPassing, isQuiet: isQuiet)
        try system.register(state.words)
        let done = try publishing.held(within: 60_000, unless: interrupts) { () throws(MAMError) -> Bool in
            let latest = lock.held {
                databases.append(system)
                return snapshot
            }
            system.followNames(latest)
            system.publish(opening(system, latest), generation: latest.generation)
            return true
        }
        guard done == true else {
            system.unregister()
            throw Session.isLoading
        }
        return system
    }

    func forget(_ system: DatabaseSystem) {
        lock.held { databases.removeAll { $0 === system } }
        system.unregister()
    }

    /// Every file system answers by a snapshot. With `publishing` held.
    func publishDatabases(_ snapshot: Snapshot) {
        for system in lock.held({ databases }) {
            system.followNames(snapshot)
            system.publish(opening(system, snapshot), generation: snapshot.generation)
            if isWiped(system, snapshot) { _ = system.interrupt() }
        }
    }

    /// Whether the account of a file system is being wiped, or has no key any more.
    private func isWiped(_ system: DatabaseSystem, _ snapshot: Snapshot) -> Bool {
        guard let owner = system.owner else { return false }
        switch snapshot.standing(of: owner) {
        case .wiping: return true
        case .retired: return snapshot.find(owner)?.key == nil
        default: return false
        }
    }

    /// How many connections of this process to the databases of a wiped account are in a transaction.
    func openDatabases(of entry: WipeEntry) -> Int {
        lock.held { databases }.reduce(0) { count, system in
            system.owner.map(entry.isOf) ?? false ? count + system.interrupt() : count
        }
    }

    /// Nothing is opened any more.
    func closeDatabases(isForked: Bool) {
        let all = lock.held { () -> [DatabaseSystem] in
            defer { databases = [] }
            return databases
        }
        for system in all { isForked ? system.abandon() : system.unregister() }
    }

    /// Whether an account's databases may be used now, by the latest state.
    func isOpen(_ system: DatabaseSystem) -> Bool {
        guard let snapshot = try? current(within: 10_000) else { return false }
        return opening(system, snapshot) != nil
    }

    /// The key of an epoch, or the newest (0); nil where there is none. It throws where the databases are closed.
    func databaseKey(_ system: DatabaseSystem, epoch: UInt32) throws(MAMError) -> DataKey? {
        let snapshot = lock.held { self.snapshot }
        guard opening(system, snapshot) != nil else {
            throw MAMError(.closed, "the account's databases are closed")
        }
        guard let owner = system.owner, let account = snapshot.find(owner) else { return nil }
        if epoch == 0 || epoch == account.key?.epoch { return account.key }
        return try state.read { (view, _) throws(MAMError) in try view.keys.key(ofEpoch: epoch, of: account.row) }
    }

    /// nil: closed. As for buffers, and a launch that found the account closed closes what is open already.
    func opening(_ system: DatabaseSystem, _ snapshot: Snapshot) -> DatabaseOpening? {
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

    /// A line of the log for what a file system has to tell.
    func tellOfDatabase(_ system: DatabaseSystem, _ what: Int, _ path: String, _ page: UInt64) {
        guard !system.isQuiet else { return }
        let name = path.isEmpty ? "a temporary file" : path
        switch what {
        case Int(ENCRYPTED_DAMAGED):
            log.write(
                .error, "\(name): page \(page) does not verify: it is damaged, or sealed under another account's key")
        case Int(ENCRYPTED_FOREIGN):
            log.write(.error, "\(name): is neither an encrypted nor a plain database")
        case Int(ENCRYPTED_LAYOUT):
            log.write(
                .error,
                "\(name): a page without room for its seal, or of another size, was not written; use VACUUM INTO")
        case Int(ENCRYPTED_PLAIN):
            log.write(.warning, "\(name): the database is plain although its account's policy asks for encryption")
        default: if !system.isPassing { ownNew(path, system.owner) }
        }
    }

    /// A new database is its account's, so that a wipe removes it; nobody's is in need of that only where it would be its directory's.
    private func ownNew(_ path: String, _ owner: Identity?) {
        if let owner { return own(path, .named(owner)) }
        let known = try? owners.find(FilePath(Array(path.utf8)))
        if known?.source == .directory { own(path, .noUser) }
    }

    /// Write down whose a database is, as far as that can be done: it is there and whole all the same.
    func own(_ path: String, _ argument: AccountArgument) {
        do throws(MAMError) {
            try owners.verifyAndSet(try FilePath(Array(path.utf8)), to: try owner(for: argument)) { false }
        } catch {
            // The message can name a person.
            log.write(.warning, "\(path): cannot note whose it is: \(error.code.name.map { "\($0)" } ?? "error")")
            log.write(.verbose, error.message)
        }
    }
}

extension Account {
    /// Another number whenever its newest key is another one; 0 where it has none.
    fileprivate var databaseKeys: UInt64 { key?.id.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0 }
}
