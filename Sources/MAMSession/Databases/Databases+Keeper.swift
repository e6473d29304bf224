import MAMFiles
import MAMProtection
import MAMState
import MAMSupport

/// How many pages of databases are counted at once, and how many one key seals.
enum PageBudget {
    static let block: Int64 = 1 << 16
    static let limit: Int64 = 1 << 31
}

/// Answers for SQLite while it works on a database.
extension Databases: DatabaseKeeper {
    func refresh(_ system: DatabaseFileSystem) -> Bool {
        guard let snapshot = try? snapshots.current(within: 10_000) else { return false }
        return opening(system, snapshot) != nil
    }

    func key(ofEpoch epoch: UInt32, _ system: DatabaseFileSystem) throws(MAMError) -> DataKey? {
        let snapshot = snapshots.latest
        guard opening(system, snapshot) != nil else { throw MAMError(.closed, "the account's databases are closed") }
        guard let owner = system.owner, let account = snapshot.find(owner) else { return nil }
        if epoch == 0 || epoch == account.key?.epoch { return account.key }
        return try state.read { (view, _) throws(MAMError) in try view.keys.key(ofEpoch: epoch, of: account.row) }
    }

    func reserve(_ system: DatabaseFileSystem) -> Int64 {
        do throws(MAMError) { return try reservePages(system) } catch {
            log.write(.error, "a page was not written, for it cannot be counted: \(error.message)")
            return 0
        }
    }

    /// Where the newest key has sealed all it may, the next one begins.
    private func reservePages(_ system: DatabaseFileSystem) throws(MAMError) -> Int64 {
        let snapshot = snapshots.latest
        guard let account = system.owner.flatMap({ snapshot.find($0) }), let key = account.key else {
            throw MAMError(.notEnrolled, "the account has no key")
        }
        let reserve = { (epoch: Int64) throws(MAMError) -> Bool in
            try self.state.write { (view) throws(MAMError) in
                try view.pages.reserve(PageBudget.block, atMost: PageBudget.limit, of: account.row.id, epoch: epoch)
            }
        }
        if try reserve(Int64(key.epoch)) { return PageBudget.block }
        guard let next = try owner?.beginEpoch(of: account.row.id), try reserve(next) else {
            throw MAMError(.noSpace, "the account's key has sealed all it may")
        }
        return PageBudget.block
    }

    func report(_ event: DatabaseEvent, at path: String, _ system: DatabaseFileSystem) {
        guard !system.isQuiet else { return }
        let name = path.isEmpty ? "a temporary file" : path
        switch event {
        case .damaged(let page):
            log.write(
                .error, "\(name): page \(page) does not verify: it is damaged, or sealed under another account's key")
        case .foreign: log.write(.error, "\(name): is neither an encrypted nor a plain database")
        case .layout:
            log.write(
                .error,
                "\(name): a page without room for its seal, or of another size, was not written; use VACUUM INTO")
        case .plain:
            log.write(.warning, "\(name): the database is plain although its account's policy asks for encryption")
        case .created: if !system.isPassing { ownNew(path, system.owner) }
        }
    }

    /// A new database is its account's, so that a wipe removes it; nobody's needs that only where it would be its directory's.
    private func ownNew(_ path: String, _ account: Identity?) {
        if let account {
            owner?.own(path, .named(account))
        } else if owner?.isOfDirectory(path) == true {
            owner?.own(path, .noUser)
        }
    }
}
