import CPlatform
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// Queue events for what changed, and make everything answer by the new snapshot.
    func publish(from old: Snapshot, to fresh: Snapshot) {
        lock.held {
            // The same state told otherwise has no new ones.
            if fresh.generation != old.generation {
                waitingOutcomes = fresh.outcomes.filter { !delivered.contains($0) }.count
            }
            lock.broadcast()
        }
        log.keepVerbose(fresh.settings.bool(SettingKey.verboseLoggingEnabled))
        handles.publish(fresh)
        files.follow(fresh)
        databases.publish(fresh)
        emitRenames(from: old, to: fresh)
        for event in Session.changes(from: old, to: fresh) { emit(event.name, of: event.account, []) }
        if followIdentities(from: old, to: fresh) { ringWorker() }
        followDevice(from: old, to: fresh)
        refreshSignal()
    }

    private func emitRenames(from old: Snapshot, to new: Snapshot) {
        for account in new.accounts {
            guard let former = old.accounts.first(where: { $0.row.id == account.row.id })?.record.upn,
                let upn = account.record.upn, former != upn
            else { continue }
            emit("accountDidChange", of: account.named, [("formerUpn", .string(former))])
        }
    }

    private static func changes(from old: Snapshot, to new: Snapshot) -> [(name: String, account: NamedAccount)] {
        var events: [(name: String, account: NamedAccount)] = []
        func policy(_ account: Account?) -> JSON? {
            account.flatMap { a in a.policy.map { $0.json(accountId: a.accountId) } }
        }
        func encrypts(_ account: Account?) -> Bool? {
            account.flatMap { a in a.policy.map { _ in a.ownParty.encryptsFiles } }
        }
        /// Whether a newer key seals what the account protects.
        func isRotated(_ before: Account?, _ account: Account) -> Bool {
            guard account.policy != nil, let former = before?.key, let key = account.key else { return false }
            return former.epoch != key.epoch
        }
        for account in new.accounts {
            let before = old.accounts.first { $0.row.id == account.row.id }
            if policy(before) != policy(account) { events.append(("policyDidChange", account.named)) }
            if encrypts(before) != encrypts(account) || isRotated(before, account) {
                events.append(("dataProtectionDidChange", account.named))
            }
            let isOfDevice = before.map { before in
                before.isEnrolled && account.isEnrolled
                    && old.device.configuration(for: before) != new.device.configuration(for: account)
            }
            if before?.configurations ?? .none != account.configurations || isOfDevice == true {
                events.append(("appConfigDidChange", account.named))
            }
        }
        for account in old.accounts where !new.accounts.contains(where: { $0.row.id == account.row.id }) {
            if account.policy != nil { events.append(("policyDidChange", account.named)) }
            if !account.configurations.isEmpty { events.append(("appConfigDidChange", account.named)) }
        }
        return events
    }

    /// Queue an event: {"event":…,"time":…,"accountId":…,"upn":…,…}.
    func emit(_ name: String, of account: NamedAccount?, _ more: [(key: String, value: JSON)]) {
        let json = event(name, of: account, more)
        lock.held {
            events.append(name, accountId: account?.accountId, json: json)
            lock.broadcast()
        }
        refreshSignal()
    }

    /// Queue the event of a request that ended.
    func emit(_ name: String, _ status: EnrollmentStatus) {
        let id = status.accountId ?? status.upn
        emit(name, of: id.map { NamedAccount(accountId: $0, upn: status.upn) }, [("status", status.json)])
    }

    /// An event's JSON.
    func event(_ name: String, of account: NamedAccount?, _ more: [(key: String, value: JSON)]) -> JSON {
        let first: [(key: String, value: JSON)] = [("event", .string(name)), ("time", .string(clock.now().rfc3339))]
        return .object(first + (account?.members ?? []) + more)
    }

    /// Something that a person should know: log and event.
    func warn(_ message: String, _ about: [(key: String, value: JSON)]) {
        log.write(.warning, message)
        emit("warning", of: nil, [("message", .string(message))] + about)
    }

    /// Nobody knows whose they are: of a state that is older they may be the keys of accounts that the newest one has.
    func warnUnlisted() {
        let shares = state.unlistedShares
        guard shares.count > 0 else { return }
        warn(
            "\(state.directory.path)/shares has \(shares.count) shares that no account of state.db has, as where an older state.db was put back; they are kept. Put the newest state.db back; if there is none, mamctl purge removes them",
            [("unlistedShares", shares.json)])
    }

    func warnClosed(_ id: AccountRowID, _ error: MAMError) {
        warn(
            "an account's data stays closed: \(error.message)",
            [("account", .string(id.hex)), ("error", .integer(Int64(error.code.rawValue)))])
    }
}
