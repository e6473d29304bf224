import CPlatform
import MAMPolicy
import MAMState
import MAMSupport

extension Session {
    /// Somebody holds `publishing` for too long.
    static let isLoading = MAMError(.busy, "another thread is loading the state for too long; try again")

    /// Make a snapshot the one that answers, and queue events for what changed; the result is what newly stays closed. With
    /// `publishing` held.
    func publish(_ fresh: Snapshot) -> [(id: AccountRowID, error: MAMError)] {
        let old = lock.held {
            let old = snapshot
            snapshot = fresh
            // The same state told otherwise has no new ones.
            if fresh.generation != old.generation {
                waitingOutcomes = fresh.outcomes.filter { !delivered.contains($0) }.count
            }
            lock.broadcast()
            return old
        }
        log.keepVerbose(fresh.settings.bool(SettingKey.verboseLoggingEnabled))
        var made: [PolicyHandle.AnswerKey: platform_answers_t] = [:]
        for handle in lock.held({ Array(handles.values) }) { handle.publish(fresh, &made) }
        followFiles(fresh)
        publishDatabases(fresh)
        emitRenames(from: old, to: fresh)
        for event in Session.changes(from: old, to: fresh) { emit(event.name, accountId: event.accountId, []) }
        if followIdentities(from: old, to: fresh) { ringWorker() }
        refreshSignal()
        return fresh.problems.filter { problem in !old.problems.contains { $0.id == problem.id } }
    }

    private func emitRenames(from old: Snapshot, to new: Snapshot) {
        for account in new.accounts {
            guard let former = old.accounts.first(where: { $0.row.id == account.row.id })?.record.upn,
                let upn = account.record.upn, former != upn
            else { continue }
            emit(
                "accountDidChange", accountId: account.accountId,
                [("upn", .string(upn)), ("formerUpn", .string(former))])
        }
    }

    private static func changes(from old: Snapshot, to new: Snapshot) -> [(name: String, accountId: String)] {
        var events: [(name: String, accountId: String)] = []
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
            if policy(before) != policy(account) { events.append(("policyDidChange", account.accountId)) }
            if encrypts(before) != encrypts(account) || isRotated(before, account) {
                events.append(("dataProtectionDidChange", account.accountId))
            }
            if before?.configurations ?? .none != account.configurations {
                events.append(("appConfigDidChange", account.accountId))
            }
        }
        for account in old.accounts where !new.accounts.contains(where: { $0.row.id == account.row.id }) {
            if account.policy != nil { events.append(("policyDidChange", account.accountId)) }
            if !account.configurations.isEmpty { events.append(("appConfigDidChange", account.accountId)) }
        }
        return events
    }

    /// Queue an event: {"event":…,"time":…,"accountId":…,…}.
    func emit(_ name: String, accountId: String?, _ more: [(key: String, value: JSON)]) {
        let json = event(name, accountId: accountId, more)
        lock.held {
            events.append(name, accountId: accountId, json: json)
            lock.broadcast()
        }
        refreshSignal()
    }

    /// Queue the event of a request that ended.
    func emit(_ name: String, _ status: EnrollmentStatus) {
        emit(name, accountId: status.accountId ?? status.upn, [("status", status.json)])
    }

    /// An event's JSON.
    func event(_ name: String, accountId: String?, _ more: [(key: String, value: JSON)]) -> JSON {
        var members: [(key: String, value: JSON)] = [("event", .string(name)), ("time", .string(clock.now().rfc3339))]
        if let accountId { members.append(("accountId", .string(accountId))) }
        return .object(members + more)
    }

    /// Something that a person should know: log and event.
    func warn(_ message: String, _ about: [(key: String, value: JSON)]) {
        log.write(.warning, message)
        emit("warning", accountId: nil, [("message", .string(message))] + about)
    }

    func warnClosed(_ id: AccountRowID, _ error: MAMError) {
        warn(
            "an account's data stays closed: \(error.message)",
            [("account", .string(id.hex)), ("error", .integer(Int64(error.code.rawValue)))])
    }
}
