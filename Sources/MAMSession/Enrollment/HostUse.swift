import MAMState
import MAMSupport
import Synchronization

/// When the host was last in use. Apart from the schedule, which is referenced weakly and therefore takes longer to retain: each call
/// of the host comes here.
final class HostUse: Sendable {
    private let clock: Clock
    private let operations: Operations
    /// Time since boot, in milliseconds, of the host's last call that counts as use.
    private let lastUse: Atomic<Int64>
    /// The clock's tick at that call.
    private let lastTick = Atomic(Int64.min)

    /// How long a host counts as in use after a call.
    private static let lasts = TimeSpan.minutes(30)

    init(_ clock: Clock, _ operations: Operations) {
        (self.clock, self.operations) = (clock, operations)
        lastUse = Atomic(clock.sinceBoot().milliseconds)
    }

    /// Record a call of the host as use. Calls that only wait or run due work do not count.
    func record() {
        let tick = clock.tick()
        guard lastTick.load(ordering: .relaxed) != tick else { return }
        lastTick.store(tick, ordering: .relaxed)
        let now = clock.sinceBoot().milliseconds
        let before = lastUse.exchange(now, ordering: .relaxed)
        // Check-ins are due sooner once the host is in use.
        if now &- before > HostUse.lasts.milliseconds { operations.wakeWorker() }
    }

    /// Whether the host is in use.
    var isInUse: Bool {
        clock.sinceBoot().milliseconds &- lastUse.load(ordering: .relaxed) <= HostUse.lasts.milliseconds
    }
}
