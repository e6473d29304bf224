import MAMDirectory
import MAMMessages
import MAMSupport

/// The state that a check-in says it comes from.
struct StateClaim {
    let generation: Int64
    let head: String
    /// The challenge of the former reply, once the client has read its state again.
    let challenge: String?
    /// The digest of an invitation: a person stands behind the request.
    let invitation: [UInt8]?
}

/// States that are older than before, or copies. Repeated requests and two apps that race look the same, so the client reads its
/// state again first. A confirmed one is recorded, and a person has to sign in; the client then takes a new device tag, so that
/// two copies do not take turns at being old.
extension Service {
    private static let confirming: StaticString = "libmam confirm 1"
    private static let renewing: StaticString = "libmam renew 1"
    /// The time in which a challenge or a renewal is to be used.
    private static let minute: Int64 = 60_000

    /// Judge the state of a check-in. Returns members for the reply.
    func judge(
        _ claim: StateClaim, of holder: Registrant, _ app: AppFacts, _ host: HostFacts, _ store: Store, _ now: Instant
    ) throws(MAMError) -> Result<[JSON.Member], Problem> {
        if try store.isNewest(claim.generation, head: claim.head, deviceTag: host.deviceTag) {
            guard try store.isRenewal(of: holder.deviceTag, by: host.deviceTag) else { return .success([]) }
            return .success([("renew", .string(try token(Service.renewing, holder, now)))])
        }
        guard try isToken(claim.challenge, Service.confirming, holder.registration, now) else {
            let challenge = try token(Service.confirming, holder, now)
            return .failure(Problem(refusal: .confirm, members: [("challenge", .string(challenge))]))
        }
        try store.recordRollback(
            holder.accountKey, app: app, host: host, highest: try store.generation(deviceTag: host.deviceTag), now: now)
        guard let digest = claim.invitation, let invitation = try store.invitation(digest), now < invitation.expires,
            invitation.accountKey == holder.accountKey, invitation.app == nil || invitation.app == holder.app,
            invitation.usedBy == nil || invitation.usedBy == holder.registration
        else { return .failure(Problem(refusal: .needsToken)) }
        try store.useInvitation(digest, by: holder.registration)
        return .success([("renew", .string(try token(Service.renewing, holder, now)))])
    }

    /// The registration that an enrollment renews; nil where it brings no right to.
    func renewed(_ registration: String?, by authorization: String?, _ now: Instant) throws(Problem) -> Registrant? {
        let scheme = "MAM-Renew "
        guard let registration, let authorization, authorization.utf8.starts(with: scheme.utf8) else { return nil }
        let text = String(authorization.dropFirst(scheme.count))
        return try reading { (store) throws(MAMError) in
            guard try isToken(text, Service.renewing, registration, now) else { return nil }
            return try store.registrant(registration: registration)
        }
    }

    /// A token for a registration: the time until which it holds, and a seal.
    private func token(_ purpose: StaticString, _ holder: Registrant, _ now: Instant) throws(MAMError) -> String {
        let until = String(now.milliseconds + Service.minute)
        return until + "." + base64url(try files.key.seal(purpose, [tenant, holder.registration, until]))
    }

    private func isToken(
        _ text: String?, _ purpose: StaticString, _ registration: String, _ now: Instant
    ) throws(MAMError) -> Bool {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let until = Int64(parts[0]), now.milliseconds <= until,
            let seal = bytes(base64url: parts[1])
        else { return false }
        return try files.key.isSeal(seal, of: purpose, [tenant, registration, parts[0]])
    }

    /// The digest of the invitation in a field Authorization; nil where there is none.
    static func invitation(_ authorization: String?) -> [UInt8]? {
        let scheme = Array("MAM-Invite ".utf8)
        guard let authorization, authorization.utf8.starts(with: scheme) else { return nil }
        return digest(ofInvitation: Array(authorization.utf8.dropFirst(scheme.count)))
    }
}
