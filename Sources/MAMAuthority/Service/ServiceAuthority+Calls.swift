import MAMMessages
import MAMPolicy
import MAMProtection
import MAMSupport

extension ServiceAuthority: Authority {
    /// Refuse every request where the state knows another authority.
    public func expect(_ identity: AuthorityIdentity?) {
        memory.withLock { memory in
            // It was given up, or another process has met it first.
            if memory.expected?.id != identity?.id {
                (memory.known, memory.directory, memory.sequence) = (nil, nil, nil)
            }
            memory.expected = identity
        }
    }

    /// Use credentials for the proxy from now on.
    public func use(_ credentials: ProxyCredentials?) {
        transport.use(credentials)
        providerTransport.use(credentials)
    }

    /// The provider by the settings, those of the host, and the document, in this order. Waits for no network.
    public func signIn(_ host: ProviderSettings) -> ProviderClient? {
        let document = memory.withLock { $0.directory?.document.signIn }
        return Provider(settings.signIn.over(host).over(document)).map {
            ProviderClient(provider: $0, transport: providerTransport, now: { [self] in serviceTime() })
        }
    }

    /// The provider that gave a refresh token, whatever the settings name now.
    public func provider(of token: RefreshToken) -> ProviderClient? {
        Provider(of: token).map { ProviderClient(provider: $0, transport: providerTransport) }
    }

    /// A service is beyond the reach of who runs the app.
    public var custody: Custody { .service }
    /// Nobody here can change it.
    public var custodyReason: String? { nil }
    /// Why the latest request of this process failed.
    public var problem: String? { memory.withLock { $0.problem } }
    /// When a signed reply last came.
    public var lastReached: Instant? { memory.withLock { $0.reached } }

    /// Check an account in. The policies are sent only where they differ from what this process has.
    public func checkIn(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts,
        token: SecretBytes? = nil, boundTo key: RequestKey? = nil
    ) throws(AuthorityFailure) -> CheckInReply {
        let registered = try ServiceAuthority.registered(registration)
        let (former, challenge) = memory.withLock { memory in
            let former = memory.deliveries[registered.id]
            memory.deliveries[registered.id]?.unread = nil
            return (former, memory.challenges.removeValue(forKey: registered.id))
        }
        if let first = former?.unread {
            // The state has the registration now.
            try forgetPendingKeys { $0 == registration.dropFirst(registered.id.count) }
            if clock.sinceBoot() < first.until { return first.reply }
        }
        let sequence = try sequence()
        var body: [JSON.Member] = [
            ("app", app.json), ("host", host.json), ("wipeMark", .integer(wipeMark)),
            ("policyTag", .optional(former?.policyTag)), ("appsTag", .optional(former?.appsTag)),
        ]
        if sequence.number > 0 {
            body += [("sequence", .integer(sequence.number)), ("sequenceSeal", .string(sequence.seal))]
        }
        if host.confirmedCounter != nil, let challenge { body.append(("challenge", .string(challenge))) }
        let json: JSON
        let authorization = try ServiceAuthority.authorization(token, boundTo: key)
        do throws(AuthorityFailure) {
            json = try ask(registered.call("check-in", .object(body), authorization))
        } catch {
            guard let challenge = error.challenge, host.confirmedCounter == nil else { throw error }
            memory.withLock { $0.challenges[registered.id] = challenge }
            return toConfirm(host)
        }
        if let wipe = ServiceAuthority.wipe(json) {
            return CheckInReply(upn: "", tenantId: nil, policies: [], wipe: wipe.id ?? 0)
        }
        guard let delivery = Delivery(json, former: former), var reply = delivery.reply(json, identity) else {
            throw AuthorityFailure(.parsingFailure, "the service's reply lacks what a check-in has")
        }
        reply.time = serviceTime()
        reply.renewal = json["renew"]?.string
        reply.isOfCopy = reply.renewal != nil && host.confirmedCounter != nil
        memory.withLock { $0.deliveries[registered.id] = delivery }
        return reply
    }

    /// The wipe in a reply, without an id where nobody ordered it, because this app reported it before. nil for another reply.
    private static func wipe(_ reply: JSON) -> RegistrationWipe? {
        guard reply["result"] == "wipe" else { return nil }
        guard let id = reply["wipe"], !id.isNull else { return RegistrationWipe(id: nil) }
        return id.integer.flatMap { $0 > 0 ? RegistrationWipe(id: $0) : nil }
    }

    /// The reply by which a session reads its state again and repeats the check-in.
    private func toConfirm(_ host: HostFacts) -> CheckInReply {
        CheckInReply(upn: "", tenantId: nil, policies: [], highestCounter: host.stateCounter)
    }

    /// End a registration; no error where it has ended already. Returns the wipe that the app has to carry out and report instead, nil
    /// for none.
    public func unenroll(
        _ accountId: String, registration: String, wipeMark: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> RegistrationWipe? {
        let registered = try ServiceAuthority.registered(registration)
        let json = try ask(registered.call("unenroll", [:]))
        memory.withLock { $0.deliveries[registered.id] = nil }
        let wipe = ServiceAuthority.wipe(json)
        guard wipe != nil || json["result"] == nil else { throw ServiceAuthority.unknownResultFailure }
        return wipe
    }

    /// Report a wipe that is complete.
    public func reportWipe(
        _ accountId: String, registration: String, wipe: Int64?, reason: WipeReason, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) {
        let registered = try ServiceAuthority.registered(registration)
        let json = try ask(
            registered.call(
                "wipe-report",
                [
                    "wipe": wipe.map(JSON.integer) ?? .null, "reason": .string(reason.rawValue),
                    "finished": .string(clock.now().rfc3339), "stateGeneration": .integer(host.stateCounter),
                    "stateHead": host.head, "deviceTag": .string(host.deviceTag),
                ]))
        guard json["result"] == nil else { throw ServiceAuthority.unknownResultFailure }
        memory.withLock { $0.deliveries[registered.id] = nil }
    }

    private static let unknownResultFailure = AuthorityFailure(
        .parsingFailure, "the result in the service's reply is unknown to this release")

    /// Returns the exchange keys from an epoch on, which are encrypted to this registration.
    public func exchangeKeys(
        _ accountId: String, registration: String, wipeMark: Int64, from epoch: Int64, app: AppFacts, host: HostFacts
    ) throws(AuthorityFailure) -> [ExchangeKey] {
        let registered = try ServiceAuthority.registered(registration)
        let tenant = try directory().tenant
        var (keys, next) = ([ExchangeKey](), epoch)
        for _ in 0..<ServiceAuthority.mostPages {
            let json = try ask(
                registered.call("exchange-keys", ["from": .integer(next), "wipeMark": .integer(wipeMark)]))
            guard let sealed = json["keys"]?.array else {
                throw AuthorityFailure(.parsingFailure, "the service's reply lacks exchange keys")
            }
            for one in sealed {
                guard let key = registered.open(one, tenant: tenant, accountId: accountId) else {
                    throw AuthorityFailure(.parsingFailure, "an exchange key cannot be opened")
                }
                keys.append(key)
                next = Int64(key.epoch) + 1
            }
            guard json["more"] == true else { break }
        }
        return keys
    }

    /// A thousand keys.
    private static let mostPages = 10

    /// The registration in a state's text. An enrollment with another kind of authority is none here: the account enrolls again.
    private static func registered(_ text: String) throws(AuthorityFailure) -> ServiceRegistration {
        guard let registered = ServiceRegistration(text) else {
            throw AuthorityFailure(.policyRecordGone, "The enrollment is another authority's")
        }
        return registered
    }
}

extension ServiceRegistration {
    /// A call about this registration.
    fileprivate func call(
        _ name: String, _ body: JSON, _ authorization: ServiceAuthority.Authorization? = nil
    ) -> ServiceAuthority.Call {
        ServiceAuthority.Call(
            path: "/registrations/\(id)/\(name)", keyId: id, keys: keys, authorization: authorization, body: body)
    }

    /// An exchange key that was encrypted to this registration; nil where it was not.
    fileprivate func open(_ json: JSON, tenant: String, accountId: String) -> ExchangeKey? {
        guard let epoch = json["epoch"]?.integer, let number = UInt32(exactly: epoch), let id = json["id"]?.string,
            let keyId = bytes(base64url: id), keyId.count == 16,
            let sealed = json["sealed"]?.string.flatMap(bytes(base64url:)),
            let key = try? keys.receiving.open(
                sealed,
                info: ExchangeKeyInfo.bytes(
                    tenant: tenant, accountId: accountId, registration: self.id, epoch: epoch, keyId: id)),
            key.count == 32
        else { return nil }
        return ExchangeKey(epoch: number, id: keyId, key: key)
    }
}
