import MAMPolicy
import MAMState
import MAMSupport

extension AccountRecord {
    /// Record an answered check-in: the offline timer restarts. `told` is its time by the authority's clock. Called before
    /// ``lastCheckIn`` changes.
    mutating func recordCheckIn(_ policy: EffectivePolicy?, at now: ClockReading, byAuthority told: Instant?) {
        var overdue = launchHistory.overdue
        if let policy, let passed = launchHistory.timer(since: lastCheckIn)?.elapsed(at: now) {
            overdue = policy.overdue(after: passed, former: overdue)
        }
        launchHistory.recordCheckIn(now, byAuthority: told, overdue: overdue)
    }

    /// Record how long the account has been offline, so that setting the clock back gains nothing.
    mutating func recordOffline(at now: ClockReading) {
        guard var timer = launchHistory.timer(since: lastCheckIn) else { return }
        timer.update(now)
        launchHistory.offline = timer
    }
}

extension Account {
    /// Whether a refusal by the authority wipes the account: its wipe period has passed by a clock that is known to be right.
    /// Time alone only blocks.
    func isWipedByRefusal(at now: ClockReading) -> Bool {
        guard let passed = record.launchHistory.timer(since: record.lastCheckIn)?.elapsedIfClockIsRight(at: now) else {
            return false
        }
        return policy?.refusalWipe(after: passed) != nil
    }
}
