import MAMDirectory
import MAMMessages
import MAMProtection
import MAMSupport

/// The state that a check-in says it comes from.
struct StateClaim {
    /// `stateGeneration`, the counter of the client's state.
    let generation: Int64
    let head: String
    /// The challenge of the former reply, once the client has read its state again.
    let challenge: String?
    /// The digest of an invitation, and a token: a person stands behind the request.
    let invitation: [UInt8]?
    let token: Result<AccessToken, TokenRefusal>?
}

/// States that are older than before, or copies. Repeated requests and two apps that race look the same, so the client reads its
/// state again first. One that is then still behind the state for which it was asked is recorded, and the rule for copies is followed:
/// mostly a person has to sign in; the client then takes a new device tag, so that two copies do not take turns at being old.
extension Service {
    /// The result for a state.
    enum JudgedState {
        /// It counts. The reply has these members too.
        case accepted([JSON.Member])
        /// The app has to carry out this wipe.
        case wipe(Int64)
    }

    private static let confirming: StaticString = "libmam confirm 1"
    private static let renewing: StaticString = "libmam renew 1"
    /// The time in which a challenge or a renewal is to be used.
    private static let minute: Int64 = 60_000

    /// Judge the state of a user's check-in.
    func judge(
        _ claim: StateClaim, of holder: Registrant, _ user: User, _ app: AppFacts, _ host: HostFacts, _ store: Store,
        _ now: Instant
    ) throws(MAMError) -> Result<JudgedState, Problem> {
        if try store.isNewest(claim.generation, head: claim.head, deviceTag: host.deviceTag) {
            guard try store.isRenewal(of: holder.deviceTag, by: host.deviceTag) else { return .success(.accepted([])) }
            return .success(try renewal(of: holder, now))
        }
        let newest = try store.newestState(deviceTag: host.deviceTag) ?? (0, "")
        guard let asked = try state(challengedBy: claim.challenge, holder.registration, now) else {
            let challenge = try token(
                Service.confirming, holder, String(newest.generation), Service.digest(ofHead: newest.head), now: now)
            return .failure(Problem(refusal: .confirm, members: [("challenge", .string(challenge))]))
        }
        // The client has the state for which it was asked: other apps of it have gone on meanwhile.
        guard
            claim.generation < asked.generation
                || claim.generation == asked.generation && Service.digest(ofHead: claim.head) != asked.digest
        else { return .success(.accepted([])) }
        try store.recordRollback(holder.accountKey, app: app, host: host, highest: newest.generation, now: now)
        if copies == .wipe, try store.wipesCopies(ofDevice: host.deviceTag) {
            try store.raiseSequence()
            return .success(
                .wipe(try store.requestWipe(of: user, app: holder.app, deviceTag: host.deviceTag, now: now)))
        }
        if copies == .report { return .success(try renewal(of: holder, now)) }
        if claim.token != nil {
            if var problem = try tokenProblem(of: holder, claim.token, store, now) {
                problem.needsPerson()
                return .failure(problem)
            }
        } else {
            guard let digest = claim.invitation, let invitation = try store.invitation(digest),
                invitation.holds(for: holder.app, now), invitation.accountKey == holder.accountKey,
                invitation.usedBy == nil || invitation.usedBy == holder.registration
            else {
                var problem = Problem(refusal: .needsToken)
                problem.needsPerson()
                return .failure(problem)
            }
            try store.useInvitation(digest, by: holder.registration)
        }
        return .success(try renewal(of: holder, now))
    }

    /// The right to enroll under a new device tag.
    private func renewal(of holder: Registrant, _ now: Instant) throws(MAMError) -> JudgedState {
        .accepted([("renew", .string(try token(Service.renewing, holder, now: now)))])
    }

    /// The registration that an enrollment renews; nil where it brings no right to.
    func renewed(_ registration: String?, by authorization: String?, _ now: Instant) throws(Problem) -> Registrant? {
        let scheme = "MAM-Renew "
        guard let registration, let authorization, authorization.utf8.starts(with: scheme.utf8) else { return nil }
        let text = String(authorization.dropFirst(scheme.count))
        return try reading { (store) throws(MAMError) in
            guard try parts(of: text, Service.renewing, registration, now)?.isEmpty == true else { return nil }
            return try store.registrant(registration: registration)
        }
    }

    /// A token for a registration: parts, the time until which it holds, and a seal.
    private func token(
        _ purpose: StaticString, _ holder: Registrant, _ parts: String..., now: Instant
    ) throws(MAMError) -> String {
        let parts = parts + [String(now.milliseconds + Service.minute)]
        let seal = try files.key.seal(purpose, [tenant, holder.registration] + parts)
        return (parts + [base64url(seal)]).joined(separator: ".")
    }

    /// The parts of a token; nil where it is none for this registration, or holds no longer.
    private func parts(
        of text: String?, _ purpose: StaticString, _ registration: String, _ now: Instant
    ) throws(MAMError) -> [String]? {
        var parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let seal = parts.popLast().flatMap(bytes(base64url:)),
            try files.key.isSeal(seal, of: purpose, [tenant, registration] + parts),
            let until = parts.popLast().flatMap({ Int64($0) }), now.milliseconds <= until
        else { return nil }
        return parts
    }

    /// The state that was the newest when a challenge was made; nil without a challenge that holds.
    private func state(
        challengedBy text: String?, _ registration: String, _ now: Instant
    ) throws(MAMError) -> (generation: Int64, digest: String)? {
        guard let parts = try parts(of: text, Service.confirming, registration, now), parts.count == 2,
            let generation = Int64(parts[0])
        else { return nil }
        return (generation, parts[1])
    }

    private static func digest(ofHead head: String) -> String { base64url(Array(sha256(Array(head.utf8)).prefix(16))) }

    /// The digest of the invitation in a field Authorization; nil where there is none.
    static func invitation(_ authorization: String?) -> [UInt8]? {
        let scheme = Array("MAM-Invite ".utf8)
        guard let authorization, authorization.utf8.starts(with: scheme) else { return nil }
        return digest(ofInvitation: Array(authorization.utf8.dropFirst(scheme.count)))
    }
}
