import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

/// An authority on the network, by the app protocol; docs/protocol.md.
///
/// Only a reply that one of the authority's keys has signed for the very request changes anything; all else is a failure of the network
/// or of parsing. A request waits on the calling thread, at most as long as the settings say.
public final class ServiceAuthority: Sendable {
    let settings: ServiceSettings
    let clock: Clock
    let transport: any Transport
    /// Carries requests to the provider at which people sign in.
    let providerTransport: any Transport
    private let libraryVersion: String
    let store: any ServiceRecordStore
    let memory = Locked(Memory())

    /// The memory of this process about the service; a new process asks again.
    struct Memory {
        var expected: AuthorityIdentity?
        /// The keys that count; nil before the record is read.
        var known: KnownKeys?
        /// The time by the service; nil before its first reply to this process.
        var kept: KeptTime?
        /// Why the document's statements of keys do not lead to the known keys; nil where they do.
        var keysProblem: String?
        var directory: (document: ServiceDirectory, until: TimeSpan)?
        /// The latest of the record; nil before it is read.
        var sequence: (number: Int64, seal: String)?
        /// When a signed reply last came, by this computer's clock; nil before the first one.
        var reached: Instant?
        /// By registration.
        var deliveries: [String: Delivery] = [:]
        /// The challenge that a check-in has to repeat, by registration.
        var challenges: [String: String] = [:]
        /// Why the latest request failed; nil where it did not.
        var problem: String?
    }

    /// The authority that settings name.
    public init(
        _ settings: ServiceSettings, transport: any Transport, provider: (any Transport)? = nil,
        store: any ServiceRecordStore, clock: Clock,
        libraryVersion: String
    ) {
        self.store = store
        providerTransport = provider ?? transport
        (self.settings, self.transport, self.clock) = (settings, transport, clock)
        self.libraryVersion = libraryVersion
    }

    /// The identity of the authority, with the key that signs now.
    var identity: AuthorityIdentity? { memory.withLock { $0.known?.identity } }

    /// A call of the protocol.
    struct Call {
        /// The path below the API.
        let path: String
        let keyId: String
        let keys: RegistrationKeys
        var authorization: Authorization?
        /// Whether this is an enrollment, whose network failures have a code of their own.
        var isEnrollment = false
        let body: JSON
    }

    /// Send a call and return its signed reply. It is repeated once where the service says that the clock was wrong, whose reply has told
    /// the right one.
    func ask(_ call: Call) throws(AuthorityFailure) -> JSON {
        do throws(AuthorityFailure) {
            let connection = TransportConnection()
            let directory = try directory(over: connection)
            let sentSequence = try sequence().number
            for isRepeated in [false, true] {
                let reply = try send(call, to: directory.api + call.path, over: connection)
                if (200...201).contains(reply.status) {
                    try noteSequence(reply.json, sent: sentSequence)
                    memory.withLock { $0.problem = nil }
                    return reply.json
                }
                let problem = ServiceProblem(status: reply.status, reply.json, wait: reply.wait)
                guard problem.name == "clockSkew", !isRepeated, reply.isFresh else {
                    memory.withLock { $0.problem = nil }
                    throw problem.failure(isEnrollment: call.isEnrollment)
                }
            }
            throw AuthorityFailure(.parsingFailure)
        } catch {
            if error.code != .policyRecordGone, !error.isSigned { memory.withLock { $0.problem = error.message } }
            throw error
        }
    }

    /// A reply that the authority has signed.
    private struct SignedReply {
        let status: Int
        let json: JSON
        /// Whether it tells what time it is.
        let isFresh: Bool
        /// The wait of its header, which is not signed.
        let wait: TimeSpan?
    }

    /// Send a call. It is repeated once where its token is bound to a key and the service, or something before it, wants a nonce in the
    /// proof.
    private func send(
        _ call: Call, to url: String, over connection: TransportConnection, nonce: String? = nil
    ) throws(AuthorityFailure) -> SignedReply {
        let body = call.body.utf8
        let now = serviceTime()
        let created = now.milliseconds / 1000
        let signature: RequestSignature
        let proof: MessageField?
        do throws(MAMError) {
            proof = try call.authorization?.proof(
                url: url, at: now, signer: call.keys.request, nonce: nonce)
            signature = try RequestSignature(
                method: "POST", target: url, body: body, authorization: call.authorization?.field, created: created,
                nonce: base64url(try randomBytes(16)), keyId: call.keyId, key: call.keys.request)
        } catch { throw AuthorityFailure(.internalError, error.message) }
        let fields: [MessageField] =
            [("content-type", "application/json")] + signature.fields + (proof.map { [$0] } ?? [])
        let code = ServiceAuthority.code(call.isEnrollment)
        let sent = clock.sinceBoot()
        let reply = try exchange(
            "POST", url, fields, authorization: call.authorization?.field, body, over: connection, networkFailure: code)
        if proof != nil, nonce == nil, reply.status == 401, WantedNonce.isWanted(reply.fields),
            let wanted = WantedNonce.stated(in: reply.fields)
        {
            return try send(call, to: url, over: connection, nonce: wanted)
        }
        // A key that is not known: the document may have it.
        let signing = try known()?.keys.signing ?? []
        if let kid = ReplySignature.keyId(reply.fields), !signing.contains(where: { $0.kid == kid }) {
            memory.withLock { $0.directory = nil }
            do throws(AuthorityFailure) { _ = try directory(over: connection) } catch  where !error.isInterrupted {}
        }
        let (json, signed) = try verified(reply, "POST", url, signature, networkFailure: code)
        let isFresh = keepTime(signed, sent: sent)
        return SignedReply(status: reply.status, json: json, isFresh: isFresh, wait: unsignedWait(reply))
    }

    /// The code for a service that cannot be reached.
    static func code(_ isEnrollment: Bool) -> StatusCode {
        isEnrollment ? .enrollmentEndPointNetworkFailure : .policyEndPointNetworkFailure
    }

    func exchange(
        _ method: String, _ url: String, _ fields: [MessageField], authorization: SecretBytes? = nil,
        _ body: [UInt8],
        over connection: TransportConnection, networkFailure: StatusCode
    ) throws(AuthorityFailure) -> TransportReply {
        let common: [MessageField] = [
            ("mam-client", "libmam/\(libraryVersion) linux"), ("accept-encoding", "identity"),
            ("cache-control", "no-store, no-transform"),
        ]
        do throws(TransportFailure) {
            return try transport.exchange(
                TransportRequest(
                    method: method, url: url, fields: common + fields, authorization: authorization, body: body),
                over: connection)
        } catch {
            let code: StatusCode =
                switch error.kind {
                case .timeout, .interrupted: .timeout
                case .tooLarge: .parsingFailure
                default: networkFailure
                }
            var failure = AuthorityFailure(code, error.reason)
            failure.isInterrupted = error.kind == .interrupted
            failure.needsProxyCredentials = error.kind == .proxyLogin
            failure.isSuspicious = error.kind == .wrongPin || error.kind == .wrongHost
            throw failure
        }
    }

    /// The JSON of a reply that the authority signed, and the time at which it did. `first` are the keys at the first contact, where none
    /// are known.
    func verified(
        _ reply: TransportReply, _ method: String, _ url: String, _ request: RequestSignature?,
        by first: AuthorityKeys? = nil, networkFailure: StatusCode
    ) throws(AuthorityFailure) -> (json: JSON, created: Instant) {
        let signature = ReplySignature(
            status: reply.status, body: reply.body, method: method, target: url, request: request)
        switch signature.verify(reply.fields, by: (try known()?.keys ?? first)?.signing ?? []) {
        case .signed(let created):
            guard let json = try? JSON(parsing: reply.body, limit: CurlTransport.longestReply), json.object != nil
            else { throw AuthorityFailure(.parsingFailure, "the service's reply is no JSON object") }
            return (json, Instant(milliseconds: created * 1000))
        // A proxy's error or a captive portal's page.
        case .unsigned where !(200..<300).contains(reply.status):
            var failure = AuthorityFailure(
                networkFailure, "something before the service answered with HTTP status \(reply.status)")
            failure.retryAfter = unsignedWait(reply)
            throw failure
        case .unsigned:
            throw AuthorityFailure(.parsingFailure, "the reply does not come from the authority: it is not signed")
        case .refused:
            throw AuthorityFailure(
                .parsingFailure,
                memory.withLock { $0.keysProblem }
                    ?? "the reply does not come from the authority: its signature is none of a known key for this request"
            )
        }
    }

    private func unsignedWait(_ reply: TransportReply) -> TimeSpan? {
        RetryAfter.wait(reply.fields, now: serviceTime())
    }
}
