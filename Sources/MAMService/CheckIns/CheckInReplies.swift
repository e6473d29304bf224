import MAMDirectory
import MAMMessages
import MAMProtection
import MAMSupport

/// Answers check-ins to which nothing applies but policies, on any thread, from facts that were read for many at once. All others are
/// answered in the ordinary way, by ``Service/reply(to:now:)``.
public final class CheckInReplies: Sendable {
    /// State that the ordinary way, and all connections of a process, share.
    struct State: Sendable {
        var signing: ReplyKey
        /// The number of the administrative change after which `signing` was read.
        var signingSequence: Int64
        /// The latest number of a change that was sealed, and its seal.
        var sequenceSeal = (number: Int64(-1), text: "")
        var deliveries = DeliveryCache()
        var sightings = Sightings()
        var failures = SignedRefusalLimit()
        /// The number of a client's change that the database lacks; nil while none is known.
        var olderThan: Int64?
    }

    let state: Locked<State>
    private let addresses: ServiceAddresses
    private let key: StoreKey
    private let tenant: String
    private let cryptography: any ServiceCryptography
    private let signIn: SignInSettings?

    init(
        _ state: State, _ addresses: ServiceAddresses, _ key: StoreKey, tenant: String,
        _ cryptography: any ServiceCryptography, _ signIn: SignInSettings?
    ) {
        self.state = Locked(state)
        (self.addresses, self.key, self.tenant) = (addresses, key, tenant)
        (self.cryptography, self.signIn) = (cryptography, signIn)
    }

    /// The registration whose facts may answer a request; nil for another request.
    public func registration(of request: ServiceRequest) -> String? {
        let address = addresses.address(for: request.host)
        guard request.method == "POST", request.token == nil, request.path.utf8.starts(with: address.path.utf8),
            case .registration(let id, .checkIn) = Route(request.path.dropFirst(address.path.count))
        else { return nil }
        return id
    }

    /// The reply to a check-in; nil where it has to be answered in the ordinary way. A request that is wrong in any way is.
    public func reply(to request: ServiceRequest, _ facts: CheckInFacts, now: Instant) -> ServiceReply? {
        let target = addresses.address(for: request.host).origin + request.path
        guard request.body.count <= Service.longestRequest,
            let signature = RequestSignature(method: request.method, fields: request.fields, target: target),
            signature.authorization == nil, signature.keyId == facts.registration,
            signature.isTimely(now), signature.holds(for: request, by: facts.key, cryptography),
            let members = members(of: request, facts, now)
        else { return nil }
        let signing = state.withLock { $0.signingSequence == facts.administrative ? $0.signing : nil }
        guard let signing,
            var reply = try? ServiceReply.signed(
                200, .object(members), "application/json", method: signature.method, target: target, signature, signing,
                now)
        else { return nil }
        reply.call = Route.Call.checkIn.rawValue
        note(facts, now)
        return reply
    }

    private func members(of request: ServiceRequest, _ facts: CheckInFacts, _ now: Instant) -> [JSON.Member]? {
        do {
            let message = RequestReader(try JSONReader.read(request.body))
            let host = try message.host()
            let tags = (try message.optionalText("policyTag"), try message.optionalText("appsTag"))
            guard facts.areOf(try message.app(), host), host.deviceTag == facts.deviceTag,
                host.stateCounter == facts.generation, try message.head() == facts.head,
                try message.optionalInteger("sequence") ?? 0 <= facts.sequence, !isSignInDue(facts, now)
            else { return nil }
            let reach = Reach(
                app: facts.app.id, groups: facts.groups, isOwnTenant: facts.person.tenantId == tenant)
            guard let delivered = state.withLock({ $0.deliveries.known(reach, facts.administrative) }) else {
                return nil
            }
            let members = delivered.members(
                to: facts.person, policyTag: tags.0, appsTag: tags.1, exchangeEpoch: facts.exchangeEpoch)
            return members + (try stamp(facts.sequence, now))
        } catch { return nil }
    }

    /// The members of a reply that tell the time and the number of the latest change, with its seal.
    func stamp(_ number: Int64, _ now: Instant) throws(MAMError) -> [JSON.Member] {
        var seal = state.withLock { $0.sequenceSeal.number == number ? $0.sequenceSeal.text : nil }
        if seal == nil {
            let made = base64url(try key.seal(ofSequence: number, tenant: tenant))
            state.withLock { $0.sequenceSeal = (number, made) }
            seal = made
        }
        return [("time", .string(now.rfc3339)), ("sequence", .integer(number)), ("sequenceSeal", .optional(seal))]
    }

    private func isSignInDue(_ facts: CheckInFacts, _ now: Instant) -> Bool {
        guard let signIn, let latest = facts.signedIn else { return false }
        return signIn.frequency.map { latest + $0 <= now } ?? false || facts.revoked.map { latest <= $0 } ?? false
    }

    private func note(_ facts: CheckInFacts, _ now: Instant) {
        if let last = facts.lastSync, last <= now, now < last + Registration.recordInterval { return }
        state.withLock { $0.sightings.note(facts.row) }
    }
}

extension StoreKey {
    private static let sequence: StaticString = "libmam sequence 1"

    func seal(ofSequence number: Int64, tenant: String) throws(MAMError) -> [UInt8] {
        try seal(StoreKey.sequence, [tenant, String(number)])
    }

    /// Whether a seal is that of a number.
    func isSeal(_ seal: [UInt8], ofSequence number: Int64, tenant: String) throws(MAMError) -> Bool {
        try isSeal(seal, of: StoreKey.sequence, [tenant, String(number)])
    }
}
