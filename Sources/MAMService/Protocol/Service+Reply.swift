import MAMDirectory
import MAMMessages
import MAMProtection
import MAMSupport

extension Service {
    /// The longest body of a request, in bytes.
    public static let longestRequest = 32 * 1024

    /// Answer a request of an app. Whatever the request changes is committed and durable before this returns. Only a signed reply
    /// comes from the authority; what is refused before there is a signature to judge is unsigned.
    public func reply(to request: ServiceRequest, now: Instant) -> ServiceReply {
        let address = address(for: request.host)
        guard request.path.utf8.starts(with: address.path.utf8),
            let route = Route(request.path.dropFirst(address.path.count))
        else { return .unsigned(404) }
        guard request.method == route.method else { return .unsigned(405, [("allow", route.method)]) }
        var reply = reply(to: request, route, at: address, now)
        reply.call = route.name
        return reply
    }

    private func reply(
        to request: ServiceRequest, _ route: Route, at address: ServiceAddress, _ now: Instant
    ) -> ServiceReply {
        let target = address.origin + request.path
        if route == .discovery { return discovery(at: address, target: target, now: now) }
        guard request.body.count <= Service.longestRequest else { return .unsigned(413) }
        guard let signature = RequestSignature(method: request.method, fields: request.fields, target: target) else {
            return .unsigned(400)
        }
        do throws(Problem) {
            let (status, json) = try answer(request, route, signature, now)
            return sign(status, json, "application/json", signature, now)
        } catch {
            guard checkIns.state.withLock({ $0.failures.allows(now) }) else {
                return .unsigned(429, [("retry-after", "1")])
            }
            var problem = error
            // The first token that is asked for can then be one that counts.
            if problem.refusal == .needsToken { problem.members += signIn?.strength.members ?? [] }
            var reply = sign(problem.status, problem.json(api: address.api), "application/problem+json", signature, now)
            reply.outcome = problem.refusal.rawValue
            if problem.refusal == .needsToken {
                reply.fields.append(("www-authenticate", challenge(problem)))
            }
            if let seconds = problem.retryAfter { reply.fields.append(("retry-after", String(seconds))) }
            return reply
        }
    }

    /// Judge the signature, then do what is asked.
    private func answer(
        _ request: ServiceRequest, _ route: Route, _ signature: RequestSignature, _ now: Instant
    ) throws(Problem) -> (status: Int, JSON) {
        switch route {
        case .discovery: throw Problem(refusal: .malformed)
        case .enroll:
            let enrollment = try EnrollmentMessage(parse(request), cryptography)
            guard signature.keyId == enrollment.thumbprint else { throw Problem(refusal: .badSignature) }
            try verify(signature, of: request, by: enrollment.key, now)
            let token = unlessUnproven(request.token, request, signature, signer: enrollment.thumbprint, now)
            return try enroll(enrollment, authorization: signature.authorization, token: token, now)
        case .registration(let id, let call):
            guard let holder = try reading({ (store) throws(MAMError) in try store.registrant(registration: id) })
            else {
                throw try unknown(request, call)
            }
            guard signature.keyId == id else { throw Problem(refusal: .badSignature) }
            try verify(signature, of: request, by: holder.key, now)
            let message = RequestReader(try parse(request))
            switch call {
            case .checkIn:
                let token = unlessUnproven(
                    request.token, request, signature, signer: JSONWebKey.thumbprint(p256: holder.key), now)
                return (
                    200, try checkIn(holder, message, authorization: signature.authorization, token: token, now)
                )
            case .reportWipe: return (200, try reportWipe(holder, message, now))
            case .exchangeKeys: return (200, try exchangeKeys(holder, message, now))
            case .unenroll: return (200, try unenroll(holder, now))
            }
        }
    }

    private func parse(_ request: ServiceRequest) throws(Problem) -> JSON {
        guard let json = try? JSONReader.read(request.body), json.object != nil else {
            throw Problem(refusal: .malformed, detail: "the body is no JSON object")
        }
        return json
    }

    private func verify(
        _ signature: RequestSignature, of request: ServiceRequest, by key: [UInt8], _ now: Instant
    ) throws(Problem) {
        guard signature.holds(for: request, by: key, cryptography) else { throw Problem(refusal: .badSignature) }
        guard signature.isTimely(now) else {
            throw Problem(refusal: .clockSkew, members: [("time", .string(now.rfc3339))])
        }
    }

    /// How a call uses the database.
    enum Access {
        case reading
        /// It writes rows that one registration, device or account has.
        case recording
        /// It counts as a change.
        case changing
    }

    /// Run `body` in a transaction that changes the directory.
    func durably<T>(_ body: (Store) throws(MAMError) -> T) throws(Problem) -> T { try transaction(.changing, body) }

    /// Run `body`, which changes nothing.
    func reading<T>(_ body: (Store) throws(MAMError) -> T) throws(Problem) -> T { try transaction(.reading, body) }

    /// Run `body` in a transaction. A failure of the database is reported, and the client asks again later.
    private func transaction<T>(
        _ access: Access, _ body: (Store) throws(MAMError) -> T
    ) throws(Problem) -> T {
        let store = files.store
        do throws(MAMError) {
            switch access {
            case .reading: return try store.database.snapshot { () throws(MAMError) in try body(store) }
            case .recording: return try store.database.rowTransaction { () throws(MAMError) in try body(store) }
            case .changing: return try store.database.transaction { () throws(MAMError) in try body(store) }
            }
        } catch { throw unusable(error) }
    }

    private func unusable(_ error: MAMError) -> Problem {
        report(error.message)
        return Problem(refusal: .busy, detail: "the service's database cannot be used now", retryAfter: 60)
    }

    /// Run `body` in a transaction. A refusal commits too.
    func decided<T>(
        _ access: Access, _ body: (Store) throws(MAMError) -> Result<T, Problem>
    ) throws(Problem) -> T {
        switch try transaction(access, body) {
        case .success(let value): return value
        case .failure(let problem): throw problem
        }
    }

    private func sign(
        _ status: Int, _ json: JSON, _ type: String, _ signature: RequestSignature, _ now: Instant
    ) -> ServiceReply {
        sign(status, json, type, method: signature.method, target: signature.target, signature, now)
    }

    private func discovery(at address: ServiceAddress, target: String, now: Instant) -> ServiceReply {
        do throws(Problem) {
            let (name, keys, statements) = try reading { (store) throws(MAMError) in
                (try store.tenantName(), try store.authorityKeys(), try store.keyStatements())
            }
            let document: JSON = [
                "protocols": [1], "tenant": .string(tenant), "name": .optional(name), "api": .string(address.api),
                "keys": keys.json, "signIn": signIn?.json ?? .null,
                "limits": ["request": .integer(Int64(Service.longestRequest)), "reply": 8_388_608],
                "statements": .array(statements.map(\.json)),
            ]
            return sign(200, document, "application/json", method: "GET", target: target, nil, now)
        } catch { return .unsigned(503, [("retry-after", "60")]) }
    }

    private func sign(
        _ status: Int, _ json: JSON, _ type: String, method: String, target: String, _ request: RequestSignature?,
        _ now: Instant
    ) -> ServiceReply {
        do throws(MAMError) {
            // A database that cannot be read now is no reason to answer unsigned.
            do throws(MAMError) { try followKeys() } catch { report(error.message) }
            return try ServiceReply.signed(
                status, json, type, method: method, target: target, request, checkIns.state.withLock { $0.signing }, now
            )
        } catch {
            report(error.message)
            return .unsigned(500)
        }
    }
}

extension ServiceReply {
    /// A reply that the authority signs.
    static func signed(
        _ status: Int, _ json: JSON, _ type: String, method: String, target: String, _ request: RequestSignature?,
        _ key: ReplyKey, _ now: Instant
    ) throws(MAMError) -> ServiceReply {
        let body = json.utf8
        let signature = ReplySignature(status: status, body: body, method: method, target: target, request: request)
        let fields = try signature.fields(keyId: key.id, now: now, sign: key.sign)
        return ServiceReply(
            status: status, fields: [("content-type", type), ("cache-control", "no-store, no-transform")] + fields,
            body: body, outcome: json["result"]?.string ?? "ok")
    }

    /// A reply that proves nothing.
    static func unsigned(_ status: Int, _ fields: [(name: String, value: String)] = []) -> ServiceReply {
        ServiceReply(status: status, fields: [("cache-control", "no-store")] + fields, body: [])
    }
}
