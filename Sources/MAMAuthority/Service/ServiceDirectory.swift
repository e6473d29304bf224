import MAMMessages
import MAMPolicy
import MAMSupport

/// The discovery document of a service, as far as it is used.
struct ServiceDirectory: Sendable {
    let tenant: String
    let api: String
    /// The provider at which people sign in; nil for none.
    let signIn: ProviderSettings?

    private static let protocolVersion: JSON = 1
    private static let tooNewMessage = "the service speaks no protocol that this version knows; update libmam"
    private static var tooNewFailure: AuthorityFailure {
        var failure = AuthorityFailure(.parsingFailure, tooNewMessage)
        // It has signed the document, and will not change its mind within a day.
        (failure.isSigned, failure.retryAfter) = (true, .hours(24))
        return failure
    }

    /// Read the document of a service.
    init(_ json: JSON, _ settings: ServiceSettings) throws(AuthorityFailure) {
        guard let protocols = json["protocols"]?.array, let tenant = json["tenant"]?.string else {
            throw AuthorityFailure(.locationServiceFailure, "the service's document lacks what such a document has")
        }
        guard protocols.contains(ServiceDirectory.protocolVersion) else { throw ServiceDirectory.tooNewFailure }
        guard let api = json["api"]?.string, settings.isOrigin(of: api) else {
            throw AuthorityFailure(.locationServiceFailure, "the service's document does not say where its API is")
        }
        (self.tenant, self.api, signIn) = (tenant, api, ProviderSettings(document: json["signIn"]))
    }
}

extension ServiceAuthority {
    private static let day = TimeSpan.hours(24)

    /// The service's document, asked for once in a day and process. Without an answer the service is not found (204).
    func directory(
        over connection: TransportConnection = TransportConnection()
    ) throws(AuthorityFailure) -> ServiceDirectory {
        try checkExpected()
        let now = clock.sinceBoot()
        if let kept = memory.withLock({ $0.directory }), now < kept.until { return kept.document }
        let found: ServiceDirectory?
        do throws(AuthorityFailure) { found = try askForDirectory(connection) } catch { throw error.ofDiscovery }
        guard let document = found else {
            // A service whose clock was set back cannot tell so by its document. The former one leads to a reply that can.
            if let former = memory.withLock({ $0.directory?.document }) { return former }
            throw AuthorityFailure(.locationServiceFailure, "the service's document is more than a day old")
        }
        try checkSettings()
        if let known = try known() { try keep(known) }
        let until = TimeSpan(milliseconds: now.milliseconds + ServiceAuthority.day.milliseconds)
        memory.withLock { $0.directory = (document, until) }
        return document
    }

    /// The document that the service sends; nil where it is too old.
    private func askForDirectory(_ connection: TransportConnection) throws(AuthorityFailure) -> ServiceDirectory? {
        let url = settings.url + "/.well-known/mam-authority"
        let reply = try exchange("GET", url, [], [], over: connection, networkFailure: .locationServiceFailure)
        let unverified = try? JSON(parsing: reply.body, limit: CurlTransport.longestReply)
        // Statements of new keys come before the signature is verified, which may be a new key's: each proves itself.
        if let unverified, let tenant = unverified["tenant"]?.string {
            try apply(unverified["statements"], tenant: tenant)
        }
        let first = try known() == nil ? ServiceAuthority.firstKeys(unverified) : nil
        let (json, created) = try verified(
            reply, "GET", url, nil, by: first?.keys, networkFailure: .locationServiceFailure)
        guard reply.status == 200 else {
            throw AuthorityFailure(.locationServiceFailure, "there is no document of a service")
        }
        let document = try ServiceDirectory(json, settings)
        if let first { try learn(first) }
        return isTooOld(created) ? nil : document
    }

    /// The keys that a document states for itself; nil where it states none.
    private static func firstKeys(_ document: JSON?) -> KnownKeys? {
        guard let keys = AuthorityKeys(json: document?["keys"]) else { return nil }
        let numbers = (document?["statements"]?.array ?? []).compactMap { AuthorityStatement(json: $0)?.number }
        return KnownKeys(keys, number: max(0, numbers.max() ?? 0))
    }

    /// Whether a document is more than a day old by the kept time, and so one that somebody has recorded.
    private func isTooOld(_ created: Instant) -> Bool {
        guard let kept = memory.withLock({ $0.kept }) else { return false }
        return kept.now(sinceBoot: clock.sinceBoot()) - created > ServiceAuthority.day
    }
}

extension AuthorityFailure {
    /// The failure of a request for the service's document: the service is not found (204), whatever else happened; except where nothing
    /// came in time (216), or where the service itself says that this version is too old (206).
    fileprivate var ofDiscovery: AuthorityFailure {
        guard code != .timeout, code != .internalError, !isSigned else { return self }
        var failure = AuthorityFailure(.locationServiceFailure, message)
        (failure.retryAfter, failure.isSuspicious) = (retryAfter, isSuspicious)
        failure.needsProxyCredentials = needsProxyCredentials
        return failure
    }
}
