import MAMAuthority
import MAMPolicy
import MAMState
import MAMSupport

/// The revocation of refresh tokens that were given up (RFC 7009). They wait in the state, so that the end of a process loses none.
extension SessionService {
    /// Have the provider revoke a token that is not in the state.
    func revokeLater(_ token: RefreshToken?) {
        guard let token else { return }
        do throws(MAMError) {
            let stored = try token.stored()
            try state.commitForAll { (view) throws(MAMError) in try view.giveUp([stored], at: clock.now()) }
            revokeSoon()
        } catch {
            // Nothing can be stored, so that this is the only attempt.
            guard !settings.isExtension else { return }
            _ = operations.start(.revoke(token))
        }
    }

    /// Begin to revoke the tokens that wait; nothing waits for it. The containing app does it for its extensions.
    func revokeSoon() {
        guard settings.revokes else { return }
        operations.startUnlessQueued(.revoke(nil), subject: OperationQueue.Work.revocations)
        operations.wakeWorker()
    }

    /// Ask the providers to revoke the tokens that wait, each once in all processes of the group, and one that is not in the state.
    func sendRevocations(_ unstored: RefreshToken?) throws(MAMError) {
        var unreachable: Set<String> = []
        if let unstored { _ = try isSettled(unstored, &unreachable) }
        guard settings.authority.isService, let lease = try state.lease(.revocation) else { return }
        defer { lease.end() }
        var tried: Set<[UInt8]> = []
        while let one = try waiting().first(where: { !tried.contains($0.id) && !$0.isOver(at: clock.now()) }) {
            tried.insert(one.id)
            if let token = RefreshToken(stored: one.token) {
                guard try isSettled(token, &unreachable) else { continue }
            }
            try state.write { (view) throws(MAMError) in try view.revocations.remove(one.id) }
        }
        try planNext()
    }

    private func waiting() throws(MAMError) -> [PendingRevocation] {
        try state.read { (view, _) throws(MAMError) in try view.revocations.all().waiting }
    }

    /// Ask the provider; whether there is nothing more to do. A provider that cannot be reached is asked once.
    private func isSettled(_ token: RefreshToken, _ unreachable: inout Set<String>) throws(MAMError) -> Bool {
        guard !unreachable.contains(token.issuer) else { return false }
        guard let client = authority.provider(of: token) else { return true }
        let reply = try requestFromAuthority { () throws(AuthorityFailure) in try client.revoke(token) }
        switch reply {
        case .success(true): return true
        case .success(false):
            log.write(.info, "a refresh token was given up; its provider revokes none, or refused to")
            return true
        case .failure(let failure):
            log.write(.info, "a refresh token was given up, and could not be revoked yet: \(failure.message)")
            unreachable.insert(token.issuer)
            return false
        }
    }

    /// Forget what is over, and plan the next attempt for the rest.
    private func planNext() throws(MAMError) {
        let (now, fraction) = (clock.now(), randomFraction())
        let ended = try state.commitForAll { (view) throws(MAMError) -> Int in
            let (waiting, broken) = try view.revocations.all()
            let over = waiting.filter { $0.isOver(at: now) }.map(\.id)
            for id in over + broken { try view.revocations.remove(id) }
            guard let former = try view.revocations.plan() else {
                try view.revocations.plan(nil)
                return over.count
            }
            let failures = min(former.failures, 1000) + 1
            var plan = RevocationPlan(
                next: CheckInIntervals.afterNetworkFailure(Int(failures), at: now, jitter: fraction))
            plan.failures = failures
            try view.revocations.plan(plan)
            return over.count
        }
        try reload()
        guard ended > 0 else { return }
        log.write(.warning, "\(ended) refresh tokens that were given up could not be revoked in time")
        // Nothing of them remains in the log of the database; another process that reads it does so in a moment.
        _ = try state.truncateWAL()
    }
}

extension OpenSettings {
    /// Whether sessions with these settings have refresh tokens revoked: a provider is asked as the service is.
    var revokes: Bool { !isExtension && authority.isService }
}
