import CEncryptedSQLite
import CProcess
import MAMProtection
import MAMSupport

/// An SQLite VFS for the databases of one account. Its open databases may outlive the delegate, and are then closed. Thread-safe.
public final class DatabaseVFS: @unchecked Sendable {
    /// Runs `body` with the delegate and keeps it alive meanwhile; returns the reason if the delegate is gone.
    public typealias DelegateAccess = @Sendable (_ body: (any DatabaseVFSDelegate) -> Void) -> MAMError?

    /// The name in SQLite.
    public let name: String
    /// The account that owns the databases, by its account id once that is known; nil for no user.
    public var owner: Identity? { ownOwner.withLock { $0 } }
    /// Whether the VFS serves a conversion, whose new file gets the owner of the old one.
    public let isForConversion: Bool
    /// Whether the VFS serves a search for a database's owner, so that a failing key is not reported.
    public let isProbe: Bool
    private let ownOwner: Locked<Identity?>
    private let delegateAccess: DelegateAccess
    // Written in `register` only, before other threads have access.
    private var registration: OpaquePointer?

    /// A VFS that is not registered yet.
    public init(
        name: String, owner: Identity?, isForConversion: Bool, isProbe: Bool, _ delegateAccess: @escaping DelegateAccess
    ) {
        (self.name, self.isForConversion, self.isProbe, self.delegateAccess) = (
            name, isForConversion, isProbe, delegateAccess
        )
        ownOwner = Locked(owner)
    }

    /// Set the account id when it becomes known.
    public func setOwner(_ owner: Identity) { ownOwner.withLock { $0 = owner } }

    /// Register the VFS with SQLite. Fails with `.already` where the name is taken. `token` identifies the session.
    public func register(
        _ token: UInt, _ words: UnsafePointer<shared_words_t>
    ) throws(MAMError) {
        let context = Unmanaged.passRetained(self)
        let calls = encrypted_calls_t(
            context: context.toOpaque(), writes_plain: isForConversion || isProbe,
            refresh: { context, isOpening in DatabaseVFS.of(context).refresh(isOpening: isOpening) },
            authorize: { context, path in DatabaseVFS.of(context).authorize(String(repairing: path)) },
            derive: { context, epoch, info, length, key in
                DatabaseVFS.of(context).derive(epoch, UnsafeRawBufferPointer(start: info, count: length), key)
            },
            reserve: { context in DatabaseVFS.of(context).reserve() },
            report: { context, what, path, page in
                DatabaseVFS.of(context).report(what, String(repairing: path), page)
            },
            release: { context in Unmanaged<DatabaseVFS>.fromOpaque(context).release() })
        var isTaken = false
        registration = encrypted_register(name, token, words, calls, &isTaken)
        guard registration == nil else { return }
        context.release()
        throw isTaken
            ? MAMError(
                .already, "SQLite has a file system \(name) already; choose another name", [("name", .string(name))])
            : MAMError(
                .storage, "SQLite does not take a file system; it may have been shut down, or there is no memory")
    }

    /// Set how databases may be opened at a generation word of the state; nil closes them.
    public func setAccess(_ access: DatabaseAccess?, generationWord: UInt64) {
        guard let registration else { return }
        encrypted_publish(
            registration, access == nil ? UInt64.max : generationWord, access?.encryptsNew ?? true,
            access?.allowsNew ?? false, access?.keyVersion ?? 0, access?.followsScreen ?? false)
    }

    /// Interrupt all connections after a wipe. Returns how many are in a transaction and can still read cached pages.
    public func interrupt() -> Int { registration.map { Int(encrypted_interrupt($0)) } ?? 0 }

    /// Close the VFS: nothing can be opened, and open files fail.
    public func unregister() { if let registration { encrypted_unregister(registration) } }

    /// Close the VFS in a forked child.
    public func abandon() { if let registration { encrypted_mark_closed(registration) } }

    private static func of(_ context: UnsafeMutableRawPointer) -> DatabaseVFS {
        Unmanaged<DatabaseVFS>.fromOpaque(context).takeUnretainedValue()
    }

    /// Run `body` with the delegate; nil if the delegate is gone, which is then the thread's last error.
    private func withDelegate<R>(_ body: (any DatabaseVFSDelegate) -> R) -> R? {
        var result: R?
        delegateAccess { result = body($0) }?.becomeLast(in: nil)
        return result
    }

    private func refresh(isOpening: Bool) -> Int32 {
        let isOpen = withDelegate { $0.refresh(self, isOpening: isOpening) } ?? false
        return isOpen ? Int32(ENCRYPTED_OPEN) : Int32(ENCRYPTED_CLOSED)
    }

    private func authorize(_ path: String) -> Int32 {
        switch withDelegate({ $0.authorize(path, self) }) {
        case .allowed: Int32(ENCRYPTED_OPEN)
        case .allowedUnlessPlain: Int32(ENCRYPTED_UNLESS_PLAIN)
        case .refused, nil: Int32(ENCRYPTED_CLOSED)
        }
    }

    private func derive(
        _ epoch: UnsafeMutablePointer<UInt32>, _ info: UnsafeRawBufferPointer, _ out: UnsafeMutableRawPointer
    ) -> Int32 {
        let result: Int32? = withDelegate { delegate in
            do throws(MAMError) {
                guard let key = try delegate.key(ofEpoch: epoch.pointee, self) else { return Int32(ENCRYPTED_NO_KEY) }
                guard key.expand(info, into: out) else { return Int32(ENCRYPTED_CLOSED) }
                epoch.pointee = key.epoch
                return Int32(ENCRYPTED_OPEN)
            } catch { return Int32(ENCRYPTED_CLOSED) }
        }
        return result ?? Int32(ENCRYPTED_CLOSED)
    }

    private func reserve() -> Int64 { withDelegate { $0.reserve(self) } ?? 0 }

    private func report(_ what: Int32, _ path: String, _ page: UInt64) {
        let event: DatabaseEvent
        switch Int(what) {
        case Int(ENCRYPTED_DAMAGED_PAGE): event = .damaged(page: page)
        case Int(ENCRYPTED_UNKNOWN_FORMAT): event = .unknownFormat
        case Int(ENCRYPTED_BAD_LAYOUT): event = .badLayout
        case Int(ENCRYPTED_STAYS_PLAIN): event = .staysPlain
        case Int(ENCRYPTED_NOT_CREATED): event = .notCreated
        case Int(ENCRYPTED_NOT_WRITTEN): event = .notWritten
        case Int(ENCRYPTED_NOT_OPENED): event = .notOpened
        default: event = .creating
        }
        _ = withDelegate { $0.report(event, at: path, self) }
    }
}
