import CEncryptedSQLite
import CPlatform
import MAMProtection
import MAMSupport

/// An SQLite file system under one name, for one account. Open databases may outlive those who keep them: everything is closed
/// then. Any thread.
public final class DatabaseFileSystem: @unchecked Sendable {
    /// Run with the keeper, which stays while it does; not at all where it has closed.
    public typealias Entrance = @Sendable (_ body: (any DatabaseKeeper) -> Void) -> Void

    /// Its name for SQLite.
    public let name: String
    /// The account whose databases it opens, by the name that stays the account's once that is known; nil for no user.
    public var owner: Identity? { ownOwner.held { $0 } }
    /// For one conversion, whose new file gets the owner of the old.
    public let isPassing: Bool
    /// For finding out whose a database is: that a key does not open it means nothing.
    public let isQuiet: Bool
    private let ownOwner: Locked<Identity?>
    private let enter: Entrance
    // Written in `register` only, before anybody else sees it.
    private var access: OpaquePointer?

    /// One that SQLite does not know yet.
    public init(name: String, owner: Identity?, isPassing: Bool, isQuiet: Bool, _ enter: @escaping Entrance) {
        (self.name, self.isPassing, self.isQuiet, self.enter) = (name, isPassing, isQuiet, enter)
        ownOwner = Locked(owner)
    }

    /// Keep the account through changes of its UPN.
    public func follow(_ owner: Identity) { ownOwner.held { $0 = owner } }

    /// Make SQLite know the name; `.already` where it does. `token`: of the session that it belongs to.
    public func register(
        _ token: UInt, _ words: UnsafePointer<platform_words_t>
    ) throws(MAMError) {
        let context = Unmanaged.passRetained(self)
        let calls = encrypted_calls_t(
            context: context.toOpaque(),
            refresh: { context in DatabaseFileSystem.of(context).refresh() },
            derive: { context, epoch, info, length, key in
                DatabaseFileSystem.of(context).derive(epoch, UnsafeRawBufferPointer(start: info, count: length), key)
            },
            reserve: { context in DatabaseFileSystem.of(context).reserve() },
            tell: { context, what, path, page in
                DatabaseFileSystem.of(context).report(what, String(nulTerminated: path), page)
            },
            release: { context in Unmanaged<DatabaseFileSystem>.fromOpaque(context).release() })
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

    /// Publish the answers of a generation of the state; nil: closed.
    public func publish(_ opening: DatabaseOpening?, generation: UInt64) {
        guard let access else { return }
        encrypted_publish(
            access, opening == nil ? UInt64.max : generation, opening?.isEncrypting ?? true,
            opening?.takesNew ?? false, opening?.keys ?? 0)
    }

    /// After a wipe: end what connections are doing. How many are in a transaction, and still read what SQLite has in memory.
    public func interrupt() -> Int { access.map { Int(encrypted_interrupt($0)) } ?? 0 }

    /// Nothing is opened any more, and open files answer closed.
    public func unregister() { if let access { encrypted_unregister(access) } }

    /// The same in a forked child.
    public func abandon() { if let access { encrypted_abandon(access) } }

    private static func of(_ context: UnsafeMutableRawPointer) -> DatabaseFileSystem {
        Unmanaged<DatabaseFileSystem>.fromOpaque(context).takeUnretainedValue()
    }

    /// nil where the keeper has closed.
    private func withKeeper<R>(_ body: (any DatabaseKeeper) -> R) -> R? {
        var result: R?
        enter { result = body($0) }
        return result
    }

    private func refresh() -> Int32 {
        withKeeper { $0.refresh(self) } ?? false ? Int32(ENCRYPTED_OPEN) : Int32(ENCRYPTED_CLOSED)
    }

    private func derive(
        _ epoch: UnsafeMutablePointer<UInt32>, _ info: UnsafeRawBufferPointer, _ out: UnsafeMutableRawPointer
    ) -> Int32 {
        let result: Int32? = withKeeper { keeper in
            do throws(MAMError) {
                guard let key = try keeper.key(ofEpoch: epoch.pointee, self) else { return Int32(ENCRYPTED_NO_KEY) }
                guard key.expand(info, into: out) else { return Int32(ENCRYPTED_CLOSED) }
                epoch.pointee = key.epoch
                return Int32(ENCRYPTED_OPEN)
            } catch { return Int32(ENCRYPTED_CLOSED) }
        }
        return result ?? Int32(ENCRYPTED_CLOSED)
    }

    private func reserve() -> Int64 { withKeeper { $0.reserve(self) } ?? 0 }

    private func report(_ what: Int32, _ path: String, _ page: UInt64) {
        let event: DatabaseEvent
        switch Int(what) {
        case Int(ENCRYPTED_DAMAGED): event = .damaged(page: page)
        case Int(ENCRYPTED_FOREIGN): event = .foreign
        case Int(ENCRYPTED_LAYOUT): event = .layout
        case Int(ENCRYPTED_PLAIN): event = .plain
        default: event = .created
        }
        _ = withKeeper { $0.report(event, at: path, self) }
    }
}
