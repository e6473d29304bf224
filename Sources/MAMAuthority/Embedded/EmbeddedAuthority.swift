import MAMPolicy
import MAMProtection
import MAMSupport

/// The authority in one SQLite file on this computer; docs/authority.md.
///
/// Any thread may call. Each call opens the file and closes it, and a fork waits for that, so that no child inherits a connection.
/// A check-in is answered from a cache while the file's stamp stays the same. A file that the running user cannot write is opened
/// read-only; the app alone then keeps the registration.
public struct EmbeddedAuthority: Sendable {
    let file: AuthorityFile
    let now: @Sendable () -> Instant
    private let cache = CheckInCache()
    private let trust: AuthorityTrust

    /// The authority in a file, which need not exist before the first call. Where `keys` is not empty, the authority must have
    /// one of them.
    public init(
        path: String, keys: [VerifyingKey] = [], interrupts: InterruptSource, now: @escaping @Sendable () -> Instant
    ) {
        self.init(file: AuthorityFile(path: path, interrupts: interrupts), keys: keys, now: now)
    }

    init(file: AuthorityFile, keys: [VerifyingKey] = [], now: @escaping @Sendable () -> Instant) {
        self.file = file
        self.now = now
        trust = AuthorityTrust(pinned: keys)
    }

    /// Accept replies of this authority alone from now on; nil for any authority.
    public func expect(_ identity: AuthorityIdentity?) {
        ForkDelay.shared.withForksHeld { if trust.expect(identity) { cache.removeAll() } }
    }

    /// Whether the running user can change what the authority says.
    public var custody: Custody { file.custody }

    /// Why the running user, or others than its owner and root, can change what the authority says, on one line; nil where they
    /// cannot.
    public var custodyReason: String? { file.developmentReason }

    /// Why the authority cannot be asked, on one line: the file is missing, is no authority, is damaged anywhere, or cannot be read, or
    /// every request is refused because it is another authority than the expected one or was changed outside libmam. nil where no problem
    /// is known. Reading this changes nothing.
    public var problem: String? {
        do throws(MAMError) {
            try ForkDelay.shared.withForksHeld { () throws(MAMError) in
                let store = try file.open()
                try store.database.snapshot { () throws(MAMError) in
                    let rows = try SignedRows(store, trust)
                    guard file.size ?? 0 <= AuthorityFile.maximumSearchedSize else {
                        try rows?.checkCommon(store)
                        return
                    }
                    try store.checkIntegrity(.storage)
                    try rows?.checkAll(store)
                }
            }
            return nil
        } catch { return error.message }
    }

    /// The cached reply to a check-in, else the reply that `ask` returns, with the time at which it recorded the check-in.
    func reply(
        for key: CheckInCacheKey, _ ask: () throws(AuthorityFailure) -> (reply: CheckInReply, recorded: Instant?)
    ) throws(AuthorityFailure) -> CheckInReply {
        let stamp = file.stamp
        let (cached, isCacheable) = ForkDelay.shared.withForksHeld { cache.lookUp(key, at: stamp, now()) }
        if let cached { return cached }
        let (reply, recorded) = try ask()
        if isCacheable, reply.wipe == nil, reply.highestCounter == nil {
            ForkDelay.shared.withForksHeld { cache.insert(reply, for: key, at: stamp, recorded: recorded) }
        }
        return reply
    }

    /// Perform one request in one transaction.
    func perform<T>(
        _ request: AuthorityRequest, _ body: (Store) throws(MAMError) -> Answer<T>
    ) throws(AuthorityFailure) -> T {
        let answer: Answer<T>
        do throws(MAMError) {
            answer = try ForkDelay.shared.withForksHeld { () throws(MAMError) in
                var store = try open()
                func work() throws(MAMError) -> Answer<T> {
                    if request.isVerified {
                        store.signed = try SignedRows(store, trust).map { ($0, trust) }
                        try store.signed?.rows.checkCommon(store)
                    }
                    if let fault = try store.consumeFault(request) { return .refused(fault.failure(of: request)) }
                    return try body(store)
                }
                return try store.isWritable ? store.database.transaction(work) : store.database.snapshot(work)
            }
        } catch { throw EmbeddedAuthority.failure(error, of: request) }
        switch answer {
        case .granted(let value): return value
        case .refused(let failure): throw failure
        }
    }

    private func open() throws(MAMError) -> Store {
        do throws(MAMError) { return try file.open() } catch {
            // A file that is no authority is a parsing failure, unlike storage errors that occur later; to try again does not help.
            throw error.code == .storage
                ? MAMError(.protocolError, error.message, error.detail, for: .errorSettings) : error
        }
    }

    private static func failure(_ error: MAMError, of request: AuthorityRequest) -> AuthorityFailure {
        let code: StatusCode =
            switch error.code {
            case .notFound: .locationServiceFailure
            case .io, .permission: request.networkFailure
            case .busy, .interrupted: .timeout
            case .protocolError, .version, .tampered: .parsingFailure
            case .storage where error.detail.contains { $0.key == "document" }: .parsingFailure
            default: .internalError
            }
        // An authority that is not reached is the organisation's to the person, not a file.
        return AuthorityFailure(
            code, error.message, for: CheckInIntervals.isNetworkFailure(code) ? nil : error.messageKey)
    }
}
