import MAMDirectory
import MAMPolicy
import MAMSupport

/// The calls of the app protocol, after their signatures were judged.
extension Service {
    func enroll(
        _ message: EnrollmentMessage, authorization: String?, _ now: Instant
    ) throws(Problem) -> (status: Int, JSON) {
        let scheme = "MAM-Invite "
        let code = authorization.flatMap {
            $0.utf8.starts(with: scheme.utf8) ? Array($0.utf8.dropFirst(scheme.utf8.count)) : nil
        }
        let request = EnrollmentByKey(
            account: message.account, app: message.app, host: message.host, wipeMark: message.wipeMark,
            key: message.key, thumbprint: message.thumbprint, sealKey: message.sealKey,
            invitation: code.map(Service.digest(ofInvitation:)))
        return try decided { (store) throws(MAMError) in
            switch try store.enroll(request, now: now) {
            case .failure(let refusal): return .failure(refusal)
            case .success(.wipe(let id)):
                return .success((200, .object([("result", "wipe"), ("wipe", .integer(id))] + (try stamp(store, now)))))
            case .success(.enrolled(let holder, let user, let isNew)):
                guard case .granted(let reply) = try store.delivery(to: user, app: message.app) else {
                    return .failure(.busy)
                }
                let marks = try stamp(store, now)
                let delivered = Delivered(reply).members(policyTag: nil, appsTag: nil)
                let body: [JSON.Member] = [
                    ("registration", .string(holder.registration)), ("accountId", .string(user.accountId)),
                    ("upn", .string(user.upn)), ("tenantId", .string(user.tenantId)),
                    ("wipeMark", .integer(holder.wipeMark)), ("exchangeMark", .integer(holder.exchangeMark)),
                    ("checkIn", .object(delivered + marks)), ("statements", []),
                ]
                return .success((isNew ? 201 : 200, .object(body + marks)))
            }
        }
    }

    func checkIn(_ holder: Registrant, _ message: RequestReader, _ now: Instant) throws(Problem) -> JSON {
        let (app, host) = (try app(of: message, holder), try message.host())
        let (policyTag, appsTag) = (try message.optionalText("policyTag"), try message.optionalText("appsTag"))
        try checkIsNotOlder(try message.optionalInteger("sequence"), try message.optionalText("sequenceSeal"))
        return try decided { (store) throws(MAMError) in
            switch try store.checkIn(holder, app: app, host: host, now: now) {
            case .failure(let refusal): return .failure(refusal)
            case .success(.wipe(let id)):
                let wipe: JSON = id.map(JSON.integer) ?? .null
                return .success(.object([("result", "wipe"), ("wipe", wipe)] + (try stamp(store, now))))
            case .success(.delivered(let reply)):
                let members = Delivered(reply).members(policyTag: policyTag, appsTag: appsTag)
                return .success(.object(members + (try stamp(store, now))))
            }
        }
    }

    func reportWipe(_ holder: Registrant, _ message: RequestReader, _ now: Instant) throws(Problem) -> JSON {
        let wipe = try message.optionalInteger("wipe")
        guard let reason = WipeReason(rawValue: try message.text("reason")) else {
            throw RequestReader.malformed("reason")
        }
        let host = HostFacts(
            deviceTag: holder.deviceTag, platform: "", platformVersion: "", model: nil, libraryVersion: "",
            stateCounter: try message.optionalInteger("stateGeneration") ?? 0)
        return try durably { (store) throws(MAMError) in
            try store.reportWipe(holder, wipe: wipe, reason: reason, host: host, now: now)
            return .object(try stamp(store, now))
        }
    }

    func unenroll(_ holder: Registrant, _ now: Instant) throws(Problem) -> JSON {
        try durably { (store) throws(MAMError) in
            try store.unenroll(holder, now: now)
            return .object(try stamp(store, now))
        }
    }

    /// The keys from an epoch on that the registration may have, each encrypted to it; the oldest first, at most 100.
    func exchangeKeys(_ holder: Registrant, _ message: RequestReader, _ now: Instant) throws(Problem) -> JSON {
        let first = max(try message.optionalInteger("from") ?? 0, holder.exchangeMark)
        return try decided { (store) throws(MAMError) in
            if let refusal = try store.keyRefusal(holder) { return .failure(refusal) }
            let keys = try store.exchangeKeys(accountKey: holder.accountKey, from: first)
            let sealed = try keys.prefix(100).map { (key) throws(MAMError) in try seal(key, to: holder) }
            return .success(
                .object([("keys", .array(sealed)), ("more", .bool(keys.count > 100))] + (try stamp(store, now))))
        }
    }

    private func seal(_ key: ExchangeKey, to holder: Registrant) throws(MAMError) -> JSON {
        let id = base64url(key.id)
        var info = Array("libmam exchange key 1".utf8)
        for part in [tenant, holder.accountId, holder.registration, String(key.epoch), id] {
            let length = UInt32(truncatingIfNeeded: part.utf8.count)
            info += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + Array(part.utf8)
        }
        guard let sealed = key.key.withUnsafeBytes({ cryptography.seal($0, to: holder.sealKey, info: info) }) else {
            throw MAMError(.crypto, "a registration's seal key is no X25519 key")
        }
        return ["epoch": .integer(Int64(key.epoch)), "id": .string(id), "sealed": .string(base64url(sealed))]
    }

    private func app(of message: RequestReader, _ holder: Registrant) throws(Problem) -> AppFacts {
        let app = try message.app()
        guard app.id == holder.app else { throw RequestReader.malformed("app.id") }
        return app
    }

    /// Run `body` in a transaction. A refusal commits too.
    private func decided<T>(_ body: (Store) throws(MAMError) -> Result<T, Refusal>) throws(Problem) -> T {
        switch try durably(body) {
        case .success(let value): return value
        case .failure(let refusal): throw Problem(refusal: refusal)
        }
    }
}

/// The number of the latest change, by which a client notices an older database, and its seal, by which the service does.
extension Service {
    private static let purpose: StaticString = "libmam sequence 1"

    func stamp(_ store: Store, _ now: Instant) throws(MAMError) -> [JSON.Member] {
        let number = try store.sequence()
        return [
            ("time", .string(now.rfc3339)), ("sequence", .integer(number)),
            ("sequenceSeal", .string(base64url(try files.key.seal(Service.purpose, [tenant, String(number)])))),
        ]
    }

    /// Fail where a client has a number that this service sealed and that its database has not reached: the database is an old copy,
    /// which must not answer.
    func checkIsNotOlder(_ number: Int64?, _ seal: String?) throws(Problem) {
        guard let number, let seal = seal.flatMap(bytes(base64url:)) else { return }
        let isOlder = try durably { (store) throws(MAMError) in
            guard number > (try store.sequence()) else { return false }
            return try files.key.isSeal(seal, of: Service.purpose, [tenant, String(number)])
        }
        guard isOlder else { return }
        olderThan = max(olderThan ?? 0, number)
        report("the database is older than a client has seen (\(number)): it was put back from a copy")
        throw Problem(refusal: .busy, detail: "the service's database is an old copy", retryAfter: 600)
    }
}
