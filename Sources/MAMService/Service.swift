import MAMDirectory
import MAMMessages
import MAMProtection
import MAMSupport

/// A service over its open files: it answers the requests of apps and of administrators. One thread at a time may use it; other
/// processes may have the same files open.
public final class Service {
    let files: OpenService
    /// Answers check-ins on other threads.
    public let checkIns: CheckInReplies
    let tenant: String
    private let addresses: ServiceAddresses
    let cryptography: any ServiceCryptography
    /// The provider at which people sign in; nil for none.
    let signIn: SignInSettings?
    /// The result for states that are copies.
    let copies: CopyRule
    /// Receives one line for each failure of the service itself.
    let report: @Sendable (String) -> Void
    /// Documents that were parsed since an administrative change.
    var documents: (sequence: Int64, cache: DocumentCache) = (-1, DocumentCache())

    /// Open the files of a service. `addresses` are the URLs by which clients know it, without a slash at the end; the first is the
    /// one that counts where a request names none of them. With `checkIns` of another service over the same database, both answer for one
    /// process.
    public init(
        _ file: ServiceFile, addresses: [String], cryptography: any ServiceCryptography,
        signIn: SignInSettings? = nil, copies: CopyRule = .signIn, sharing checkIns: CheckInReplies? = nil,
        report: @escaping @Sendable (String) -> Void
    ) throws(MAMError) {
        self.addresses = try ServiceAddresses(addresses)
        files = try file.open()
        tenant = try files.store.tenantId()
        if let checkIns {
            self.checkIns = checkIns
        } else {
            let sequence = try files.store.administrativeSequence()
            let signing = try files.store.signingKey(files.key)
            self.checkIns = CheckInReplies(
                CheckInReplies.State(signing: try ReplyKey(signing, cryptography), signingSequence: sequence),
                self.addresses, files.key, tenant: tenant, cryptography, signIn)
        }
        self.cryptography = cryptography
        self.signIn = signIn
        self.copies = copies
        self.report = report
    }

    /// The key that signs replies.
    var signing: SigningKey { checkIns.state.withLock { $0.signing.key } }

    /// Take a new authority key, if another process has made one.
    func followKeys() throws(MAMError) {
        let sequence = try files.store.administrativeSequence()
        guard sequence != checkIns.state.withLock({ $0.signingSequence }) else { return }
        let signing = try ReplyKey(try files.store.signingKey(files.key), cryptography)
        checkIns.state.withLock { ($0.signing, $0.signingSequence) = (signing, sequence) }
    }

    /// The address by which a client asks.
    func address(for host: String) -> ServiceAddress { addresses.address(for: host) }

    /// The "authority" of an app's settings for this service, with the keys that count now and the number of the statement that they
    /// follow. `certificate` is the PEM of a certificate authority of its own.
    public func settings(certificate: String?) throws(MAMError) -> JSON {
        let (keys, number) = try files.store.database.snapshot { () throws(MAMError) in
            (try files.store.authorityKeys(), try files.store.statementNumber())
        }
        return .object(
            [
                ("type", "https"), ("url", .string(addresses.first.url)), ("keys", keys.json),
                ("statement", .integer(number)),
            ]
                + (certificate.map { [("ca", .string($0))] } ?? []))
    }

    /// Perform one action of docs/authority.md, or `invitation.create`, committed before it returns.
    public func administer(_ request: JSON, now: Instant) throws(MAMError) -> JSON {
        if request["action"] == "invitation.create" { return try invite(request, now) }
        if let reply = try administerSignIn(request, now) { return reply }
        if let reply = try administerCopies(request) { return reply }
        let (action, arguments) = try ActionTable.read(request)
        guard request["accessTokenFile"]?.isNull ?? true else {
            throw MAMError(
                .unsupported,
                "accessTokenFile is for an authority in a file: users of a service have invitations or sign in",
                [("argument", "accessTokenFile")])
        }
        // Its keys are the service's, and it is not simulated.
        for prefix in ["authority.create", "authority.accept", "key.", "fault."] where action.name.hasPrefix(prefix) {
            throw MAMError(.unsupported, "\(action.name) is for an authority in a file, not for a service")
        }
        return try Administration.perform(action, arguments, in: files.store, at: files.place, now: now)
    }

    /// The user with a name. Fails with `.notFound` for none.
    func user(_ name: String) throws(MAMError) -> User {
        guard let user = try files.store.user(named: try Identity(name, argument: "user")) else {
            throw MAMError(
                .notFound, "\(files.place.path): there is no user \(ForeignText.quoted(name))",
                [("argument", "user"), ("path", .string(files.place.path))])
        }
        return user
    }

    /// Why the service cannot answer, on one line; nil where it can. Reads the database.
    public var problem: String? {
        do throws(MAMError) {
            let number = try files.store.database.snapshot { () throws(MAMError) in try files.store.sequence() }
            guard let olderThan = checkIns.state.withLock({ $0.olderThan }), number < olderThan else { return nil }
            return "the database is at change \(number), and a client has seen \(olderThan): it is an old copy"
        } catch { return error.message }
    }
}
