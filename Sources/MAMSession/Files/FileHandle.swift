import MAMFiles
import MAMPolicy
import MAMState
import MAMSupport
import Synchronization

/// The object behind a `mam_file_t`: an open file and its owners.
public final class FileHandle: Sendable {
    /// The owners. The account of a sealed file never changes.
    private enum Owners: Sendable {
        case nobody
        case account(AccountRowID)
        case plain(HandleAccounts)
    }

    /// The token of the session that it belongs to.
    public let sessionToken: UInt
    private let files: Files
    private let owners: Owners
    private let file: RandomAccessFile
    // The numbers of the latest snapshots that allowed each access, so that a snapshot is checked once.
    private let allowsReading = Atomic<UInt64>(0)
    private let allowsWriting = Atomic<UInt64>(0)
    // The strictest rule of the owners at the snapshot that allowed reading, as a raw LockedReading.
    private let lockedReading = Atomic<UInt8>(0)

    init(_ files: Files, _ file: RandomAccessFile, owners: [Account], _ snapshot: Snapshot) {
        sessionToken = files.context.token
        (self.files, self.file) = (files, file)
        self.owners =
            if file.header == nil {
                .plain(HandleAccounts(owners, snapshot))
            } else if let owner = owners.first {
                .account(owner.row.id)
            } else {
                .nobody
            }
    }

    /// Returns the file for one operation. Reading reveals content and requires that nothing blocks the account; writing, seeking
    /// and sizes require only that the account still exists.
    public func file(revealingContent: Bool) throws(MAMError) -> RandomAccessFile {
        let snapshot = try files.current()
        if revealingContent {
            try check(snapshot, isReading: true, allowsReading)
            let rule = lockedReading.load(ordering: .relaxed)
            if rule == LockedReading.refused.rawValue, files.screen.isClosed() {
                try check(snapshot, isReading: true)
            }
        } else {
            try check(snapshot, isReading: false, allowsWriting)
        }
        return file
    }

    private func check(
        _ snapshot: Snapshot, isReading: Bool, _ latest: borrowing Atomic<UInt64>
    ) throws(MAMError) {
        guard latest.load(ordering: .acquiring) != snapshot.number else { return }
        try check(snapshot, isReading: isReading)
        latest.store(snapshot.number, ordering: .releasing)
    }

    private func check(_ snapshot: Snapshot, isReading: Bool) throws(MAMError) {
        switch owners {
        case .nobody: return
        case .account(let owner):
            let account = try accountOrForgetKeys(owner, snapshot)
            if isReading { try checkReadable([account]) }
        case .plain(let accounts):
            let owners = try accounts.current(snapshot) { () throws(MAMError) in
                try snapshot.accounts(owning: try files.owners.find(open: file))
            }
            guard let owners else { throw FileHandle.wipedError }
            var accounts: [Account] = []
            for owner in owners { accounts.append(try accountOrForgetKeys(owner, snapshot)) }
            if isReading { try checkReadable(accounts) }
        }
    }

    private func checkReadable(_ accounts: [Account]) throws(MAMError) {
        let rule = accounts.map(\.lockedReading.rawValue).max() ?? 0
        lockedReading.store(rule, ordering: .relaxed)
        for account in accounts { try account.checkReadable(files.screen, isOpen: true) }
    }

    /// Zeroes the keys of a sealed file whose account the snapshot lacks; a plain file is refused at its next use. The disk is not
    /// read.
    func dropKeysOfMissingAccount(_ snapshot: Snapshot) throws(MAMError) {
        switch owners {
        case .nobody: return
        case .account(let owner): _ = try accountOrForgetKeys(owner, snapshot)
        case .plain(let accounts): for owner in accounts.known { _ = try accountOrForgetKeys(owner, snapshot) }
        }
    }

    private func accountOrForgetKeys(_ owner: AccountRowID, _ snapshot: Snapshot) throws(MAMError) -> Account {
        guard let account = snapshot.accounts.first(where: { $0.row.id == owner }) else {
            file.forget()
            throw FileHandle.wipedError
        }
        if let problem = account.problem { throw problem }
        return account
    }

    private static let wipedError = MAMError(
        .closed, "file: its account was wiped", [("argument", "file")], for: .errorDataRemoved)

    /// `mam_file_close`: removes the handle from the session's table.
    public func remove(_ token: UInt) { files.remove(token) }

    /// `mam_file_close`: fails where the file system reports, as on close(2), that writes are lost.
    public func reportLostWrites() throws(MAMError) { try file.reportLostWrites() }

    /// Zeroes the keys when the session closes. The descriptor is closed with the handle.
    func forget() { file.forget() }

    /// In a forked child: closing the handle leaves the file alone.
    public func abandon() { file.abandon() }
}
