import CEncryptedSQLite
import CPlatform
import MAMSupport

/// An SQLite file system under one name, for one account: what open databases ask of the session. They may outlive the
/// session, so it is had by its token alone.
final class DatabaseSystem: @unchecked Sendable {
    let name: String
    /// The account whose databases it opens, by the name that stays the account's once that is known; nil for no user.
    var owner: Identity? { lock.held { ownOwner } }
    private let lock = Lock()  // guards `ownOwner`
    private var ownOwner: Identity?
    /// For one conversion, whose new file gets the owner of the old.
    let isPassing: Bool
    /// For finding out whose a database is: that a key does not open it means nothing.
    let isQuiet: Bool
    private let token: UInt
    // Written in `register` only, before anybody else sees it.
    private var access: OpaquePointer?

    init(name: String, owner: Identity?, token: UInt, isPassing: Bool, isQuiet: Bool) {
        (self.name, ownOwner, self.token, self.isPassing, self.isQuiet) = (name, owner, token, isPassing, isQuiet)
    }

    /// Keep the account through changes of its UPN.
    func followNames(_ snapshot: Snapshot) {
        guard let owner, case .named(let stable) = snapshot.stable(.named(owner)) else { return }
        lock.held { ownOwner = stable }
    }

    /// Make SQLite know the name; `.already` where it does.
    func register(_ words: UnsafePointer<platform_words_t>) throws(MAMError) {
        let context = Unmanaged.passRetained(self)
        let calls = encrypted_calls_t(
            context: context.toOpaque(),
            refresh: { context in DatabaseSystem.of(context).refresh() },
            derive: { context, epoch, info, length, key in
                DatabaseSystem.of(context).derive(epoch, UnsafeRawBufferPointer(start: info, count: length), key)
            },
            reserve: { context in DatabaseSystem.of(context).reserve() },
            tell: { context, what, path, page in
                DatabaseSystem.of(context).tell(Int(what), String(nulTerminated: path), page)
            },
            release: { context in Unmanaged<DatabaseSystem>.fromOpaque(context).release() })
        var isTaken = false
        access = encrypted_register(name, token, words, calls, &isTaken)
        guard access == nil else { return }
        context.release()
        throw isTaken
            ? MAMError(
                .already, "SQLite has a file system \(name) already; choose another name", [("name", .string(name))])
            : MAMError(
                .storage, "SQLite does not take a file system; it may have been shut down, or there is no memory")
    }

    /// What holds at a snapshot's generation; nil: closed.
    func publish(_ opening: DatabaseOpening?, generation: UInt64) {
        guard let access else { return }
        encrypted_publish(
            access, opening == nil ? UInt64.max : generation, opening?.isEncrypting ?? true,
            opening?.takesNew ?? false, opening?.keys ?? 0)
    }

    /// After a wipe: end what connections are doing. How many are in a transaction, and still read what SQLite has in memory.
    func interrupt() -> Int { access.map { Int(encrypted_interrupt($0)) } ?? 0 }

    /// Nothing is opened any more, and open files answer closed.
    func unregister() { if let access { encrypted_unregister(access) } }

    /// The same in a forked child.
    func abandon() { if let access { encrypted_abandon(access) } }

    private static func of(_ context: UnsafeMutableRawPointer) -> DatabaseSystem {
        Unmanaged<DatabaseSystem>.fromOpaque(context).takeUnretainedValue()
    }

    /// Run on the session, which stays while it does; nil where it is closed.
    private func withSession<R>(_ body: (Session) -> R) -> R? {
        var object: UnsafeRawPointer?
        guard platform_handle_enter(token, Int32(PLATFORM_HANDLE_SESSION), &object) == 0, let object else { return nil }
        defer { platform_handle_leave(token) }
        return body(Unmanaged<Session>.fromOpaque(object).takeUnretainedValue())
    }

    private func refresh() -> Int32 {
        withSession { $0.isOpen(self) } ?? false ? Int32(ENCRYPTED_OPEN) : Int32(ENCRYPTED_CLOSED)
    }

    private func derive(
        _ epoch: UnsafeMutablePointer<UInt32>, _ info: UnsafeRawBufferPointer, _ out: UnsafeMutableRawPointer
    ) -> Int32 {
        let result: Int32? = withSession { session in
            do throws(MAMError) {
                guard let key = try session.databaseKey(self, epoch: epoch.pointee) else {
                    return Int32(ENCRYPTED_NO_KEY)
                }
                guard key.expand(info, into: out) else { return Int32(ENCRYPTED_CLOSED) }
                epoch.pointee = key.epoch
                return Int32(ENCRYPTED_OPEN)
            } catch { return Int32(ENCRYPTED_CLOSED) }
        }
        return result ?? Int32(ENCRYPTED_CLOSED)
    }

    private func reserve() -> Int64 {
        let pages: Int64? = withSession { session in
            do throws(MAMError) { return try session.reservePages(self) } catch {
                session.log.write(.error, "a page was not written, for it cannot be counted: \(error.message)")
                return 0
            }
        }
        return pages ?? 0
    }

    private func tell(_ what: Int, _ path: String, _ page: UInt64) {
        _ = withSession { $0.tellOfDatabase(self, what, path, page) }
    }
}
