import MAMDirectory
import MAMPolicy
import MAMSupport

extension Store {
    /// The standing of a key.
    enum Standing {
        case wipe(RegistrationWipe)
        case live(User, Registration)
    }

    /// Whether the holder of a key has a registration. A wipe comes before everything else, also where the registration has ended.
    func standing(
        of holder: Registrant, app: AppFacts, host: HostFacts
    ) throws(MAMError) -> Result<Standing, Refusal> {
        if let wipe = try requiredWipe(of: holder, host) { return .success(.wipe(wipe)) }
        let user = try holder.user(in: self)
        let kept = try user.flatMap { (user) throws(MAMError) in
            try registration(holder.registration, of: user, in: app)
        }
        if holder.end != nil { return .failure(.gone) }
        guard let user else { return .failure(.userUnknown) }
        guard let kept else { return .failure(.unenrolled) }
        for tag in [holder.deviceTag, host.deviceTag] where try isBlocked(deviceTag: tag) {
            return .failure(.deviceBlocked)
        }
        return .success(.live(user, kept))
    }

    /// The wipe that the holder of a key has to carry out: the one that ended its registration, or the latest that waits; nil for none.
    func requiredWipe(of holder: Registrant, _ host: HostFacts) throws(MAMError) -> RegistrationWipe? {
        if holder.end == .wiped { return RegistrationWipe(id: holder.wipe) }
        return try waitingWipe(holder, host).map { RegistrationWipe(id: $0) }
    }

    /// The latest wipe that waits for a registration, under the tag that it has now or that it enrolled with. Its own mark counts, not
    /// the request's.
    func waitingWipe(_ holder: Registrant, _ host: HostFacts) throws(MAMError) -> Int64? {
        try pendingWipe(
            accountKey: holder.accountKey, after: holder.wipeMark, app: AppFacts(id: holder.app),
            tags: [host.deviceTag, holder.deviceTag])
    }
}

extension Registrant {
    /// The user of the account; nil where they were removed.
    func user(in store: Store) throws(MAMError) -> User? {
        guard let id = try? Identity(accountId) else { return nil }
        return try store.user(accountId: id)
    }
}

extension Store {
    /// Why a key gets no exchange keys; nil where it gets them.
    func keyRefusal(_ holder: Registrant) throws(MAMError) -> Refusal? {
        let host = HostFacts(ofReportBy: holder, generation: 0)
        // The app learns of its wipe from the check-in or the enrollment that follows.
        guard holder.end == nil, try waitingWipe(holder, host) == nil, let user = try holder.user(in: self) else {
            return .gone
        }
        let app = AppFacts(id: holder.app)
        guard try registration(holder.registration, of: user, in: app) != nil else { return .unenrolled }
        guard user.isEnabled else { return .userDisabled }
        if try isBlocked(deviceTag: holder.deviceTag) { return .deviceBlocked }
        switch try delivery(to: user, app: app) {
        case .refused(let failure): return Refusal(failure.code) ?? .busy
        case .granted(let reply): return reply.policies.isEmpty ? .notTargeted : nil
        }
    }
}

extension HostFacts {
    /// The computer of a request that does not describe it.
    init(ofReportBy holder: Registrant, generation: Int64) {
        self.init(
            deviceTag: holder.deviceTag, platform: "", platformVersion: "", model: nil, libraryVersion: "",
            stateCounter: generation)
    }
}
