import MAMFiles
import MAMState
import MAMSupport
import Synchronization

/// What a `mam_file_t` stands for: an open file, and whose it is.
public final class FileHandle: Sendable {
    /// Who owns it: what is sealed names its account for good.
    private enum Owners: Sendable {
        case nobody
        case account(AccountRowID)
        case plain(FileHolders)
    }

    /// The session that it belongs to.
    public let session: Session
    private let owners: Owners
    private let file: RandomAccessFile
    // The numbers of the snapshots that were asked last, and allowed it: each is asked once.
    private let allowsReading = Atomic<UInt64>(0)
    private let allowsWriting = Atomic<UInt64>(0)

    init(session: Session, file: RandomAccessFile, owners: [Account], _ snapshot: Snapshot) {
        self.session = session
        self.file = file
        self.owners =
            if file.header == nil {
                .plain(FileHolders(owners, snapshot))
            } else if let owner = owners.first {
                .account(owner.row.id)
            } else {
                .nobody
            }
    }

    /// The file, for something that shows nothing of what is in it.
    public func writing() throws(MAMError) -> RandomAccessFile {
        try check(try session.current(), isReading: false, allowsWriting)
        return file
    }

    /// The file, where its account may be used.
    public func reading() throws(MAMError) -> RandomAccessFile {
        try check(try session.current(), isReading: true, allowsReading)
        return file
    }

    private func check(
        _ snapshot: Snapshot, isReading: Bool, _ latest: borrowing Atomic<UInt64>
    ) throws(MAMError) {
        guard latest.load(ordering: .relaxed) != snapshot.number else { return }
        try check(snapshot, isReading: isReading)
        latest.store(snapshot.number, ordering: .relaxed)
    }

    private func check(_ snapshot: Snapshot, isReading: Bool) throws(MAMError) {
        switch owners {
        case .nobody: return
        case .account(let owner):
            let account = try account(owner, snapshot)
            if isReading { try session.checkUnguarded(account) }
        case .plain(let holders):
            let held = try holders.current(snapshot) { () throws(MAMError) in
                try session.holders(of: try session.owners.find(open: file), snapshot)
            }
            guard let held else { throw FileHandle.wiped }
            for owner in held {
                let account = try account(owner, snapshot)
                if isReading { try session.checkUnguarded(account) }
            }
        }
    }

    /// A handle of an account that was wiped or unenrolled is closed, by a snapshot. Nothing is asked of the disk.
    func follow(_ snapshot: Snapshot) throws(MAMError) {
        switch owners {
        case .nobody: return
        case .account(let owner): _ = try account(owner, snapshot)
        case .plain(let holders): for owner in holders.known { _ = try account(owner, snapshot) }
        }
    }

    private func account(_ owner: AccountRowID, _ snapshot: Snapshot) throws(MAMError) -> Account {
        guard let account = snapshot.accounts.first(where: { $0.row.id == owner }) else {
            file.forget()
            throw FileHandle.wiped
        }
        if let problem = account.problem { throw problem }
        return account
    }

    private static let wiped = MAMError(.closed, "file: its account was wiped", [("argument", "file")])

    /// Its session closes: the keys go now, the descriptor with the handle.
    func forget() { file.forget() }

    /// In a forked child: nothing of the file is touched when it goes.
    public func abandon() { file.abandon() }
}
