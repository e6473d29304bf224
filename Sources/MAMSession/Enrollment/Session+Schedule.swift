import MAMPolicy
import MAMState
import MAMSupport
import Synchronization

/// When accounts are looked after next.
extension Session {
    /// How long a host counts as in use after a call.
    private static let useLasts = TimeSpan.minutes(30)

    /// The host has called for a reason of its own: not to wait, nor to let libmam work.
    public func noteUse() {
        let tick = clock.tick()
        guard lastTick.load(ordering: .relaxed) != tick else { return }
        lastTick.store(tick, ordering: .relaxed)
        let now = clock.sinceBoot().milliseconds
        let before = lastUse.exchange(now, ordering: .relaxed)
        // What an idle host's check-in could wait for is due sooner now.
        if now &- before > Session.useLasts.milliseconds { ringWorker() }
    }

    /// Whether the host is in use.
    var isInUse: Bool {
        clock.sinceBoot().milliseconds &- lastUse.load(ordering: .relaxed) <= Session.useLasts.milliseconds
    }

    /// Note how a request of an account ended, with what is said of a failure, and plan the next one.
    func plan(
        _ record: inout AccountRecord, after code: StatusCode, _ failure: String? = nil, isEnrolled: Bool,
        hasOnlyConfiguration: Bool = false
    ) {
        let failures = Schedule.failures(
            after: code, before: record.lastCode.map { StatusCode(rawValue: Int32(truncatingIfNeeded: $0)) },
            count: Int(clamping: record.failures))
        // Gone again right after enrolling anew: not at once, but as after a network failure.
        let isLoop = code == .policyRecordGone && failures > 1
        let (now, share) = (clock.now(), jitter())
        func next(isInUse: Bool) -> Instant {
            Schedule.next(
                after: isLoop ? .policyEndPointNetworkFailure : code, at: now, failures: failures,
                interval: isEnrolled ? record.interval : nil, isInUse: isInUse,
                hasOnlyConfiguration: hasOnlyConfiguration, jitter: share, isEnrolled: isEnrolled)
        }
        record.failures = Int64(failures)
        record.lastCode = Int64(code.rawValue)
        record.lastMessage = failure
        record.nextCheckIn = next(isInUse: isInUse)
        record.nextInUse = isInUse ? nil : next(isInUse: true)
    }

    /// Enroll an account whose time has come, unless another has taken the only place before it.
    func retry(_ id: AccountRowID) throws(MAMError) -> Outcome {
        let snapshot = try current()
        guard let account = snapshot.accounts.first(where: { $0.row.id == id }), next(of: account, in: snapshot) != nil
        else { return .done(status(.singleManagedAccountMode)) }
        return try enroll(id, account.record.isAskedFor ? .again : .itself)
    }

    /// At least 0 and below 1.
    func jitter() -> Double { ((try? randomBytes(4)) ?? []).reduce(0) { ($0 + Double($1)) / 256 } }

    /// When an account is looked after next; nil for never.
    func next(of account: Account, in snapshot: Snapshot) -> Instant? {
        if account.isTest || settings.isExtension || account.state == .unenrolled { return nil }
        // Once one is managed where only one may be, the others are not tried before it has gone.
        if account.state == .registered, !snapshot.settings.bool(SettingKey.multiManagedIdentities),
            snapshot.accounts.contains(where: \.isEnrolled)
        {
            return nil
        }
        return isInUse ? account.record.nextInUse ?? account.record.nextCheckIn : account.record.nextCheckIn
    }
}
