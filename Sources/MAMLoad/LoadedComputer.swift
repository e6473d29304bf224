import MAMAuthority
import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

/// A simulated computer with one account in one app: it enrolls, checks in, carries out wipes and reports them, as docs/protocol.md
/// says and when the library's schedule says. It reads no clock and sends nothing.
public struct LoadedComputer: Sendable {
    /// The number by which it is known.
    public let number: Int
    /// The names of everything of it.
    public let names: LoadedNames
    /// Whether its host is in use.
    public let isInUse: Bool
    /// The registration that the service has acknowledged; nil for none.
    public private(set) var registration: String?
    /// How its requests have gone.
    public private(set) var plan: CheckInPlan
    /// A wipe that it has carried out and not reported yet.
    public private(set) var wipeToReport: Int64?
    /// The latest values that the service gave; replies are compared with it.
    private var known = Known()
    private var key: RequestKey?

    private struct Known: Sendable {
        var wipeMark: Int64 = 0
        var sequence: (number: Int64, seal: String)?
        var policyTag: String?
        var appsTag: String?
        var challenge: String?
        var interval: TimeSpan?
    }

    /// A computer that is not enrolled. It asks first at `first`.
    public init(_ number: Int, _ names: LoadedNames, isInUse: Bool, first: Instant) {
        (self.number, self.names, self.isInUse) = (number, names, isInUse)
        plan = CheckInPlan(next: first)
    }

    /// Go on with a registration that the database has. `other` is a computer of the same policy that has checked in: this one knows
    /// as much.
    public mutating func adopt(_ registration: String, key: RequestKey, knowing other: LoadedComputer? = nil) {
        (self.registration, self.key) = (registration, key)
        known = other?.known ?? known
    }

    /// A request, with what is needed to judge its reply.
    public struct Request: Sendable {
        /// The calls of the protocol that computers make.
        public enum Call: String, Sendable, CaseIterable {
            case enroll, checkIn = "check-in", reportWipe = "wipe-report"
        }

        /// The call.
        public let call: Call
        /// The request as it goes over the wire.
        public let message: TransportRequest
        let signature: RequestSignature
    }

    /// The call that comes next.
    public var nextCall: Request.Call { registration == nil ? .enroll : wipeToReport == nil ? .checkIn : .reportWipe }

    /// The next request to the API at a URL. `code` is an invitation; `time` the seconds since 1970 by the service.
    public mutating func request(api: String, time: Int64, invitation code: String?) throws(MAMError) -> Request {
        let call = nextCall
        let key: RequestKey
        if let known = self.key { key = known } else { key = try RequestKey() }
        self.key = key
        let path: String
        let body: JSON
        switch call {
        case .enroll:
            path = "/registrations"
            body = .object(
                facts + [
                    ("account", ["upn": .string(names.user)]), ("wipeMark", .null),
                    ("key", JSONWebKey.p256(key.publicKey)), ("sealKey", JSONWebKey.x25519(names.sealKey)),
                ])
        case .checkIn:
            path = "/registrations/\(registration ?? "")/check-in"
            body = .object(facts + claims)
        case .reportWipe:
            path = "/registrations/\(registration ?? "")/wipe-report"
            body = [
                "wipe": wipeToReport.map(JSON.integer) ?? .null, "reason": "administrator",
                "files": ["removed": 1, "failed": 0], "stateGeneration": 1,
            ]
        }
        let bytes = body.utf8
        let authorization = try code.map { (code) throws(MAMError) in
            try SecretBytes(copyingText: "MAM-Invite \(code)")
        }
        let signature = try RequestSignature(
            method: "POST", target: api + path, body: bytes, authorization: authorization,
            created: time, nonce: base64url(try randomBytes(16)),
            keyId: registration ?? JSONWebKey.thumbprint(p256: key.publicKey), key: key)
        let fields: [MessageField] = [("content-type", "application/json")] + signature.fields
        return Request(
            call: call,
            message: TransportRequest(
                method: "POST", url: api + path, fields: fields, authorization: authorization, body: bytes),
            signature: signature)
    }

    private var facts: [JSON.Member] {
        [
            ("app", ["id": .string(names.app), "version": "1.0"]),
            (
                "host",
                [
                    "deviceTag": .string(names.deviceTag), "platform": "linux", "platformVersion": "12",
                    "libraryVersion": "1.0", "stateGeneration": 1, "stateHead": "head",
                ]
            ),
        ]
    }

    private var claims: [JSON.Member] {
        [
            ("wipeMark", .integer(known.wipeMark)), ("policyTag", .optional(known.policyTag)),
            ("appsTag", .optional(known.appsTag)), ("inUse", .bool(isInUse)),
        ]
            + (known.sequence.map { [("sequence", .integer($0.number)), ("sequenceSeal", .string($0.seal))] } ?? [])
            + (known.challenge.map { [("challenge", .string($0))] } ?? [])
    }

    /// The change that a reply made.
    public enum Outcome: Hashable, Sendable {
        /// The service has acknowledged a registration.
        case enrolled
        case unchanged, changed
        /// It orders a wipe.
        case wipe(Int64)
        case reported(Int64)
        /// The service is behind, and says when to come back.
        case behind
        /// It does not know a registration that it has acknowledged.
        case gone
        /// Signed by nobody whom the computer trusts, not as the protocol says, or older than what was there before.
        case wrong
        /// A refusal that the authority signed, by its name.
        case refused(String)
        /// No reply of the service, by its reason.
        case unanswered(String)
    }

    /// Take the reply to a request, or the reason why there is none, and plan the next one. `keys` judge the signature; nil takes the
    /// reply as it is.
    public mutating func received(
        _ reply: Result<TransportReply, TransportFailure>, to request: Request, by keys: [VerifyingKey]?,
        at now: Instant,
        jitter: Double
    ) -> Outcome {
        let (outcome, ending) = judged(reply, request, keys, now)
        plan.update(after: ending, at: now, isInUse: isInUse, isSpread: true, jitter: jitter)
        // A wipe is carried out and reported at once, and whoever lost the registration or is to prove the state asks at once.
        switch outcome {
        case .wipe, .gone, .refused("confirm"): (plan.next, plan.nextInUse) = (now, nil)
        default: break
        }
        return outcome
    }

    /// Ask at once, whatever was planned.
    public mutating func hurry(_ now: Instant) { (plan.next, plan.nextInUse) = (now, nil) }

    private mutating func judged(
        _ reply: Result<TransportReply, TransportFailure>, _ request: Request, _ keys: [VerifyingKey]?, _ now: Instant
    ) -> (Outcome, CheckInPlan.Ending) {
        let isEnrollment = request.call == .enroll
        let unreachable: StatusCode = isEnrollment ? .enrollmentEndPointNetworkFailure : .policyEndPointNetworkFailure
        func ending(_ code: StatusCode, _ wait: TimeSpan? = nil) -> CheckInPlan.Ending {
            var ending = CheckInPlan.Ending(code, isEnrolled: registration != nil)
            (ending.wait, ending.interval) = (wait, known.interval)
            return ending
        }
        let received: TransportReply
        switch reply {
        case .failure(let failure):
            return (.unanswered("\(failure.kind)"), ending(failure.kind == .timeout ? .timeout : unreachable))
        case .success(let found): received = found
        }
        let signature = ReplySignature(
            status: received.status, body: received.body, method: "POST", target: request.message.url,
            request: request.signature)
        let isSigned = received.fields.contains { $0.name == "signature" }
        if !isSigned, !(200..<300).contains(received.status) {
            let wait = RetryAfter.wait(received.fields, now: now)
            let isBehind = received.status == 503 && wait != nil
            return (isBehind ? .behind : .unanswered("\(received.status)"), ending(unreachable, wait))
        }
        if let keys {
            guard case .signed = signature.verify(received.fields, by: keys) else {
                return (.wrong, ending(.parsingFailure))
            }
        }
        guard let json = try? JSON(parsing: received.body, limit: CurlTransport.longestReply), json.object != nil else {
            return (.wrong, ending(.parsingFailure))
        }
        guard (200...201).contains(received.status) else {
            let problem = ServiceProblem(
                status: received.status, json, wait: RetryAfter.wait(received.fields, now: now))
            let failure = problem.failure(isEnrollment: isEnrollment)
            known.challenge = problem.challenge
            guard problem.name == "gone" else {
                return (.refused(problem.name), ending(failure.code, failure.retryAfter))
            }
            let lost: Outcome = registration == nil ? .refused("gone") : .gone
            leave()
            return (lost, ending(failure.code))
        }
        let outcome = accepted(json, request.call)
        return (outcome, ending(outcome == .wrong ? .parsingFailure : code(outcome)))
    }

    private func code(_ outcome: Outcome) -> StatusCode {
        switch outcome {
        case .enrolled, .changed: .newPoliciesReceived
        case .wipe: .wipeReceived
        case .reported: .unenrollmentSuccess
        default: .policiesHaveNotChanged
        }
    }

    /// Take a reply of the authority.
    private mutating func accepted(_ json: JSON, _ call: Request.Call) -> Outcome {
        known.challenge = nil
        if let number = json["sequence"]?.integer, let seal = json["sequenceSeal"]?.string {
            // A reply from before a change that this computer has seen comes of a copy.
            guard number >= known.sequence?.number ?? 0 else { return .wrong }
            known.sequence = (number, seal)
        }
        if call == .reportWipe, let wipe = wipeToReport {
            leave()
            return .reported(wipe)
        }
        if json["result"] == "wipe" {
            guard let wipe = json["wipe"]?.integer else { return .wrong }
            wipeToReport = wipe
            return .wipe(wipe)
        }
        if call == .enroll {
            guard let id = json["registration"]?.string, let mark = json["wipeMark"]?.integer else { return .wrong }
            (registration, known.wipeMark) = (id, mark)
            note(json["checkIn"] ?? .null)
            return .enrolled
        }
        guard let result = json["result"]?.string, ["unchanged", "changed"].contains(result) else { return .wrong }
        note(json)
        return result == "changed" ? .changed : .unchanged
    }

    private mutating func note(_ json: JSON) {
        (known.policyTag, known.appsTag) = (json["policyTag"]?.string, json["appsTag"]?.string)
        known.interval = json["interval"]?.string.flatMap(TimeSpan.init(iso8601:))
    }

    /// Forget the registration; the next request enrolls with a new key.
    private mutating func leave() {
        (registration, wipeToReport, key) = (nil, nil, nil)
        let sequence = known.sequence
        known = Known()
        known.sequence = sequence
    }
}
