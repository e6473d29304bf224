import MAMFiles
import MAMProtection
import MAMState
import MAMSupport

/// The number of pages that are counted at once, and that one key may seal.
enum PageBudget {
    static let block: Int64 = 1 << 16
    static let limit: Int64 = 1 << 31
}

/// Calls from the file systems.
extension Databases: DatabaseVFSDelegate {
    /// Loads the latest snapshot; returns whether it allows access to the file system. SQLite has no message for the reason, so it
    /// becomes the thread's last error, here and below.
    public func refresh(_ vfs: DatabaseVFS, isOpening: Bool) -> Bool {
        do throws(MAMError) {
            let snapshot = try snapshots.current(within: 10_000)
            _ = try snapshot.access(of: vfs)
            try vfs.owner.flatMap { snapshot.find($0) }?.checkReadable(screen, isOpen: !isOpening)
            return true
        } catch {
            error.becomeLast(in: settings.language)
            return false
        }
    }

    /// Returns whether the database, or its directory where it is new, belongs to no account that is not known here and not to libmam; a
    /// plain one also to no other account.
    public func authorize(_ path: String, _ vfs: DatabaseVFS) -> DatabaseAuthorization {
        guard !vfs.isForConversion, !vfs.isProbe, let location = location(of: path) else { return .allowed }
        let snapshot = snapshots.latest
        do throws(MAMError) {
            try owners.refuseLibraryFiles(location)
            if let known = try owners.findWithoutOpening(location) {
                try snapshot.checkIsKnown(known, location.displayPath)
                return refusalOfPlain(known, location.displayPath, vfs, snapshot) == nil
                    ? .allowed : .allowedUnlessPlain
            }
            // A managed account's is its own there, and one of no user is stated to be.
            guard let owner = vfs.owner, snapshot.find(owner)?.policy == nil else { return .allowed }
            try snapshot.checkIsKnown(try owners.directoryOwner(of: location), location.displayPath)
            return .allowed
        } catch {
            error.becomeLast(in: settings.language)
            return .refused
        }
    }

    private func location(of path: String) -> FileLocation? {
        (try? FilePath(Array(path.utf8))).flatMap { try? FileLocation($0) }
    }

    /// The reason why a plain database is not opened: another account owns it, or one that has left.
    private func refusalOfPlain(
        _ known: FileOwnership, _ path: String, _ vfs: DatabaseVFS, _ snapshot: Snapshot
    ) -> MAMError? {
        let account = vfs.owner.flatMap { snapshot.find($0) }
        let name = account.map { $0.record.upn ?? $0.accountId } ?? vfs.owner?.text ?? "no user"
        do throws(MAMError) {
            guard try snapshot.accounts(owning: known) != nil else { return snapshot.accountHasLeft(known, path) }
            return try plainForAnother(path, known, than: account, named: name, snapshot).map {
                Files.explained($0, known)
            }
        } catch { return error }
    }

    /// Returns the key of an epoch, or the newest one for 0; nil where there is none.
    public func key(ofEpoch epoch: UInt32, _ vfs: DatabaseVFS) throws(MAMError) -> DataKey? {
        let snapshot = snapshots.latest
        _ = try snapshot.access(of: vfs)
        guard let owner = vfs.owner, let account = snapshot.find(owner) else { return nil }
        if epoch == 0 || epoch == account.key?.epoch { return account.key }
        return try state.read { (view, _) throws(MAMError) in try view.keys.key(ofEpoch: epoch, of: account.row) }
    }

    /// Counts pages that are about to be sealed; returns 0 where none may be.
    public func reserve(_ vfs: DatabaseVFS) -> Int64 {
        do throws(MAMError) { return try reservePages(vfs) } catch {
            log.write(.error, "a page was not written, for it cannot be counted: \(error.message)")
            error.becomeLast(in: settings.language)
            return 0
        }
    }

    /// Begins the next key where the newest one has sealed as many pages as it may.
    private func reservePages(_ vfs: DatabaseVFS) throws(MAMError) -> Int64 {
        let snapshot = snapshots.latest
        guard let account = vfs.owner.flatMap({ snapshot.find($0) }), let key = account.key else {
            throw MAMError(.notEnrolled, "the account has no key")
        }
        let reserve = { (epoch: Int64) throws(MAMError) -> Bool in
            try self.state.write { (view) throws(MAMError) in
                try view.pages.reserve(PageBudget.block, atMost: PageBudget.limit, of: account.row.id, epoch: epoch)
            }
        }
        if try reserve(Int64(key.epoch)) { return PageBudget.block }
        guard try reserve(try keys.beginEpoch(of: account.row.id)) else {
            throw MAMError(.noSpace, "the account's key has sealed all it may")
        }
        return PageBudget.block
    }

    /// Logs an event, and gives a new database its owner.
    public func report(_ event: DatabaseEvent, at path: String, _ vfs: DatabaseVFS) {
        guard !vfs.isProbe else { return }
        let name = path.isEmpty ? "a temporary file" : path
        switch event {
        case .damaged(let page):
            let error =
                anotherOwner(path, vfs) ?? (page == 1 ? vfs.owner.map { withoutKey(name, $0, snapshots.latest) } : nil)
                ?? .file(
                    .authentication, name,
                    "page \(page) does not verify: it is damaged, or sealed under another account's key")
            log.write(.error, error.message)
            error.becomeLast(in: settings.language)
        case .unknownFormat: log.write(.error, "\(name): is neither an encrypted nor a plain database")
        case .badLayout:
            log.write(
                .error,
                "\(name): a page without room for its seal, or of another size, was not written; use VACUUM INTO")
        case .staysPlain:
            log.write(
                .warning,
                "\(name): the database is plain although its account's policy requires encryption, and is only read until"
                    + " mam_sqlite_encrypt encrypts it")
        case .notWritten:
            MAMError.file(
                .unsupported, name,
                "is a plain database, and the policy of the account for which it is open requires encryption: it is only read."
                    + " mam_sqlite_encrypt encrypts it, with its connections closed; one that is not the account's is opened for its"
                    + " own account, or for no user"
            ).becomeLast(in: settings.language)
        case .notCreated: snapshots.latest.refusalOfNew(vfs)?.becomeLast(in: settings.language)
        case .notOpened:
            guard let location = location(of: path), let known = try? owners.findWithoutOpening(location) else {
                return
            }
            refusalOfPlain(known, location.displayPath, vfs, snapshots.latest)?.becomeLast(in: settings.language)
        case .creating: if !vfs.isForConversion { setOwnerOfNew(path, vfs.owner) }
        }
    }

    /// Returns the error for an encrypted database that another account than the file system's owns, or whose key is in another state.
    private func anotherOwner(_ path: String, _ vfs: DatabaseVFS) -> MAMError? {
        guard let path = try? FilePath(Array(path.utf8)), let known = try? owners.find(path) else { return nil }
        guard known.disagreement == .attributeForeign else {
            return encryptedForAnother(path, known, than: vfs.owner, snapshots.latest)
        }
        return .file(
            .keyUnavailable, path.text,
            "is encrypted under a key of another computer, or of a state that was lost: only a backup of that state opens it; move it"
                + " aside", for: .errorKeyUnavailable)
    }

    /// Makes an account the owner of its new database, so that a wipe removes it. A database of no user gets a label as well: its
    /// directory may be given to an account later.
    private func setOwnerOfNew(_ path: String, _ account: Identity?) {
        setOwner(of: path, to: account.map { .named($0) } ?? .noUser)
    }

    /// Records the owner of a database; a failure is logged.
    func setOwner(of path: String, to argument: AccountArgument) {
        do throws(MAMError) {
            let path = try FilePath(Array(path.utf8))
            try owners.refuseLibraryFiles(path)
            let owner = try files.label(
                ofNew: argument, at: try FileLocation(path), isGiven: true, try current())
            if let owner { try owners.verifyAndSet(path, to: owner, isInterrupted: { false }) }
        } catch {
            // The message may name a person: only verbose lines may.
            log.write(.warning, "\(path): cannot write the owner: \(error.code.name.map { "\($0)" } ?? "error")")
            log.write(.verbose, error.message)
        }
    }
}
