import MAMDirectory
import MAMMessages
import MAMPolicy
import MAMSupport

/// The calls of the app protocol, after their signatures were judged.
extension Service {
    func enroll(
        _ message: EnrollmentMessage, authorization: String?, token: Result<AccessToken, TokenRefusal>?, _ now: Instant
    ) throws(Problem) -> (status: Int, JSON) {
        var request = EnrollmentByKey(
            account: message.account, app: message.app, host: message.host, wipeMark: message.wipeMark,
            key: message.key, thumbprint: message.thumbprint, sealKey: message.sealKey,
            invitation: Service.invitation(authorization),
            renewed: try renewed(message.replaces, by: authorization, now))
        return try decided(.changing) { (store) throws(MAMError) in
            request.signedIn = try signedIn(token, store, now)
            switch try store.enroll(request, now: now) {
            case .failure(let refusal):
                var found = try problem(refusal, request.signedIn, store, now)
                if refusal == .needsToken, found.detail.isEmpty, try store.hasUsedInvitation(request) {
                    found.detail = "The invitation was used already: it enrolls once. Ask for another one"
                }
                return .failure(found)
            case .success(.wipe(let id, let user)):
                let account: [JSON.Member] = [("accountId", .string(user.accountId))]
                return .success((200, .object(RegistrationWipe(id: id).members + account + (try stamp(store, now)))))
            case .success(.enrolled(let holder, let user, let isNew)):
                guard case .granted(let delivered) = try delivery(to: user, app: message.app, store) else {
                    return .failure(Problem(refusal: .busy))
                }
                _ = try store.isNewest(message.host.stateCounter, head: message.head, deviceTag: holder.deviceTag)
                let marks = try stamp(store, now)
                let epoch = try store.exchangeEpoch(accountKey: user.accountKey)
                let checkIn = delivered.members(
                    to: DeliveredPerson(user), policyTag: nil, appsTag: nil, exchangeEpoch: epoch)
                let body: [JSON.Member] = [
                    ("registration", .string(holder.registration)), ("accountId", .string(user.accountId)),
                    ("upn", .string(user.upn)), ("tenantId", .string(user.tenantId)),
                    ("wipeMark", .integer(holder.wipeMark)), ("exchangeMark", .integer(holder.exchangeMark)),
                    ("checkIn", .object(checkIn + marks)),
                    ("statements", .array(try store.keyStatements().map(\.json))),
                ]
                return .success((isNew ? 201 : 200, .object(body + marks)))
            }
        }
    }

    func checkIn(
        _ holder: Registrant, _ message: RequestReader, authorization: String?,
        token: Result<AccessToken, TokenRefusal>?, _ now: Instant
    ) throws(Problem) -> JSON {
        let (app, host) = (try app(of: message, holder), try message.host())
        let claim = StateClaim(
            generation: host.stateCounter, head: try message.head(), challenge: try message.optionalText("challenge"),
            invitation: Service.invitation(authorization), token: token)
        let (policyTag, appsTag) = (try message.optionalText("policyTag"), try message.optionalText("appsTag"))
        let (number, seal) = (try message.optionalInteger("sequence"), try message.optionalText("sequenceSeal"))
        let isKnown = try reading { (store) throws(MAMError) in
            try store.isKnown(claim.generation, head: claim.head, deviceTag: host.deviceTag)
        }
        // A state that is already known changes nothing, and what else a check-in records can wait. A copy may have to be wiped.
        let mayWipe = copies == .wipe && claim.challenge != nil
        let access: Access = mayWipe ? .changing : isKnown && token == nil ? .reading : .recording
        return try decided(access) { (store) throws(MAMError) in
            let holder = try store.current(holder)
            if let problem = try olderDatabase(store, number, seal) { return .failure(problem) }
            let user: User
            switch try store.standing(of: holder, app: app, host: host) {
            case .failure(let refusal): return .failure(Problem(refusal: refusal))
            case .success(.wipe(let wipe)): return .success(.object(wipe.members + (try stamp(store, now))))
            case .success(.live(let found, let registration)):
                user = found
                checkIns.state.withLock { $0.sightings.note(registration, app, host, now) }
            }
            let renewal: [JSON.Member]
            switch try judge(claim, of: holder, user, app, host, store, now) {
            case .failure(let problem): return .failure(problem)
            case .success(.accepted(let members)): renewal = members
            case .success(.wipe(let id)):
                return .success(.object(RegistrationWipe(id: id).members + (try stamp(store, now))))
            }
            if let problem = try signInProblem(of: holder, token, store, now) { return .failure(problem) }
            switch try delivery(to: user, app: app, store) {
            case .refused(let failure): return .failure(Problem(refusal: Refusal(failure.code) ?? .busy))
            case .granted(let delivered):
                let epoch = try store.exchangeEpoch(accountKey: user.accountKey)
                let members = delivered.members(
                    to: DeliveredPerson(user), policyTag: policyTag, appsTag: appsTag, exchangeEpoch: epoch)
                return .success(.object(members + renewal + (try stamp(store, now))))
            }
        }
    }

    func reportWipe(_ holder: Registrant, _ message: RequestReader, _ now: Instant) throws(Problem) -> JSON {
        let wipe = try message.optionalInteger("wipe")
        guard let reason = WipeReason(rawValue: try message.text("reason")) else {
            throw RequestReader.malformed("reason")
        }
        let host = HostFacts(
            ofReportBy: holder, generation: try message.optionalInteger("stateGeneration") ?? 0)
        let (tag, head) = (try message.optionalText("deviceTag"), try message.optionalText("stateHead"))
        return try durably { (store) throws(MAMError) in
            // A copy that did not wipe is older from now on. A report is accepted from any state.
            if tag == holder.deviceTag, let head {
                _ = try store.isNewest(host.stateCounter, head: head, deviceTag: holder.deviceTag)
            }
            try store.reportWipe(try store.current(holder), wipe: wipe, reason: reason, host: host, now: now)
            return .object(try stamp(store, now))
        }
    }

    func unenroll(_ holder: Registrant, _ now: Instant) throws(Problem) -> JSON {
        try durably { (store) throws(MAMError) in
            let wipe = try store.unenroll(try store.current(holder), now: now)
            return .object((wipe?.members ?? []) + (try stamp(store, now)))
        }
    }

    /// The keys from an epoch on that the registration may have, each encrypted to it; the oldest first, at most 100.
    func exchangeKeys(_ holder: Registrant, _ message: RequestReader, _ now: Instant) throws(Problem) -> JSON {
        let first = max(try message.optionalInteger("from") ?? 0, holder.exchangeMark)
        return try decided(.reading) { (store) throws(MAMError) in
            if let refusal = try store.keyRefusal(try store.current(holder)) {
                return .failure(Problem(refusal: refusal))
            }
            let keys = try store.exchangeKeys(accountKey: holder.accountKey, from: first)
            let sealed = try keys.prefix(100).map { (key) throws(MAMError) in try seal(key, to: holder) }
            return .success(
                .object([("keys", .array(sealed)), ("more", .bool(keys.count > 100))] + (try stamp(store, now))))
        }
    }

    private func seal(_ key: ExchangeKey, to holder: Registrant) throws(MAMError) -> JSON {
        let id = base64url(key.id)
        let info = ExchangeKeyInfo.bytes(
            tenant: tenant, accountId: holder.accountId, registration: holder.registration, epoch: Int64(key.epoch),
            keyId: id)
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
}

extension RegistrationWipe {
    /// Its part of a reply.
    fileprivate var members: [JSON.Member] { [("result", "wipe"), ("wipe", id.map(JSON.integer) ?? .null)] }
}
