import MAMFiles
import MAMState
import MAMSupport

/// What a `mam_file_t` stands for: an open file, and whose it is.
public final class FileHandle: Sendable {
    /// The session that it belongs to.
    public let session: Session
    /// Whose it is; nil where nobody's that is managed.
    let owner: AccountRowID?
    private let file: RandomAccessFile

    init(session: Session, file: RandomAccessFile, owner: Account?) {
        self.session = session
        self.file = file
        self.owner = owner?.row.id
    }

    /// The file, for something that shows nothing of what is in it.
    public func writing() throws(MAMError) -> RandomAccessFile {
        _ = try follow(try session.current())
        return file
    }

    /// The file, where its account may be used.
    public func reading() throws(MAMError) -> RandomAccessFile {
        let snapshot = try session.current()
        if let account = try follow(snapshot) { try session.checkUnguarded(account) }
        return file
    }

    /// The owner's account by a snapshot. A handle of an account that was wiped or unenrolled is closed.
    @discardableResult
    func follow(_ snapshot: Snapshot) throws(MAMError) -> Account? {
        guard let owner else { return nil }
        guard let account = snapshot.accounts.first(where: { $0.row.id == owner }) else {
            file.forget()
            throw MAMError(.closed, "file: its account was wiped", [("argument", "file")])
        }
        if let problem = account.problem { throw problem }
        return account
    }

    /// Its session closes: the keys go now, the descriptor with the handle.
    func forget() { file.forget() }

    /// In a forked child: nothing of the file is touched when it goes.
    public func abandon() { file.abandon() }
}
