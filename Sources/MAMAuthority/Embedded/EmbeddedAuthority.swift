import MAMPolicy
import MAMProtection
import MAMSupport

/// The authority in one SQLite file on this computer; docs/authority.md.
///
/// Each call opens the file and closes it, and a fork waits for that: no child inherits a connection. Check-ins alone are
/// answered without opening it, as long as it stands as it stood when the same question was answered. Where the running user cannot write the file
/// it is only read; registrations are then kept by the app alone.
public struct EmbeddedAuthority: Authority {
    let file: AuthorityFile
    let now: @Sendable () -> Instant
    private let replies = KeptReplies()
    private let trust: AuthorityTrust

    /// The authority in a file, which may be missing until it is asked.
    /// `keys`: one of them has to be among the authority's, where there are any.
    public init(
        path: String, keys: [VerifyingKey] = [], interrupts: Interrupts, now: @escaping @Sendable () -> Instant
    ) {
        self.init(file: AuthorityFile(path: path, interrupts: interrupts), keys: keys, now: now)
    }

    init(file: AuthorityFile, keys: [VerifyingKey] = [], now: @escaping @Sendable () -> Instant) {
        self.file = file
        self.now = now
        trust = AuthorityTrust(pinned: keys)
    }

    /// From now on nothing is accepted but of this authority; nil: of any.
    public func expect(_ identity: AuthorityIdentity?) {
        ForkGate.shared.pass { if trust.expect(identity) { replies.forget() } }
    }

    /// Whether the running user could change the file.
    public var custody: Custody { file.custody }

    /// That the file is missing, is no authority, or cannot be read.
    public var problem: String? {
        do throws(MAMError) {
            try ForkGate.shared.pass { () throws(MAMError) in _ = try file.open() }
            return nil
        } catch { return error.message }
    }

    /// The reply to a check-in that was asked for before, where nothing has changed since; else what `ask` says, with the
    /// time at which it noted the check-in.
    func reply(
        to question: CheckInQuestion, _ ask: () throws(AuthorityFailure) -> (reply: CheckIn, noted: Instant?)
    ) throws(AuthorityFailure) -> CheckIn {
        let standing = file.standing
        let (known, isSettled) = ForkGate.shared.pass { replies.look(for: question, at: standing, now()) }
        if let known { return known }
        let (reply, noted) = try ask()
        if isSettled, reply.wipe == nil, reply.reached == nil {
            ForkGate.shared.pass { replies.keep(reply, to: question, at: standing, noted: noted) }
        }
        return reply
    }

    /// What an operation came to. A refusal commits as well: it may have used up a fault.
    enum Answer<T> {
        case granted(T)
        case refused(AuthorityFailure)

        static func refused(_ code: StatusCode, _ message: String) -> Answer {
            .refused(AuthorityFailure(code, message))
        }
    }

    /// Do one operation in one transaction.
    func perform<T>(
        _ operation: Operation, _ body: (Store) throws(MAMError) -> Answer<T>
    ) throws(AuthorityFailure) -> T {
        let answer: Answer<T>
        do throws(MAMError) {
            answer = try ForkGate.shared.pass { () throws(MAMError) in
                var store = try open()
                func work() throws(MAMError) -> Answer<T> {
                    if operation.isVerified {
                        store.signed = try SignedRows(store, trust).map { ($0, trust) }
                        try store.signed?.rows.checkCommon(store)
                    }
                    if let fault = try store.takeFault(operation) { return .refused(fault.failure(of: operation)) }
                    return try body(store)
                }
                return try store.isWritable ? store.database.transaction(work) : store.database.snapshot(work)
            }
        } catch { throw EmbeddedAuthority.failure(error, of: operation) }
        switch answer {
        case .granted(let value): return value
        case .refused(let failure): throw failure
        }
    }

    private func open() throws(MAMError) -> Store {
        do throws(MAMError) { return try file.open() } catch {
            // What cannot be understood is told apart from what fails later.
            throw error.code == .storage ? MAMError(.protocolError, error.message, error.detail) : error
        }
    }

    private static func failure(_ error: MAMError, of operation: Operation) -> AuthorityFailure {
        let code: StatusCode =
            switch error.code {
            case .notFound: .locationServiceFailure
            case .io, .permission: operation.networkFailure
            case .busy, .interrupted: .timeout
            case .protocolError, .version, .tampered: .parsingFailure
            case .storage where error.detail.contains { $0.key == "document" }: .parsingFailure
            default: .internalError
            }
        return AuthorityFailure(code, error.message)
    }
}
