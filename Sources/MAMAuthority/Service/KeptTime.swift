import MAMMessages
import MAMSupport

/// The time by the service, as its latest fresh reply told it. Only a reply that it signed for a request sets this, forward or back;
/// meanwhile the clock since boot goes on. This computer's time of day has no part in it.
struct KeptTime: Sendable {
    /// When the service made the reply, and the time since boot at which it came.
    let created: Instant
    let at: TimeSpan

    /// The age of a reply up to which it counts as fresh: it may have been held back for so long.
    private static let longestDelay: Int64 = 30_000

    /// The time that a reply tells to a request that was sent at `sent`; nil where it was held back for too long.
    init?(created: Instant, sent: TimeSpan, came: TimeSpan) {
        guard came.milliseconds - sent.milliseconds <= KeptTime.longestDelay else { return nil }
        (self.created, at) = (created, came)
    }

    /// The time by the service.
    func now(sinceBoot: TimeSpan) -> Instant {
        created + TimeSpan(milliseconds: max(0, sinceBoot.milliseconds &- at.milliseconds))
    }
}

extension ServiceAuthority {
    /// The time by the service, as far as it has told it to this process; else by this computer.
    func serviceTime() -> Instant {
        memory.withLock { $0.kept }?.now(sinceBoot: clock.sinceBoot()) ?? clock.now()
    }

    /// Keep the time of a reply that the service has signed for a request; false where it says nothing about now.
    func keepTime(_ created: Instant, sent: TimeSpan) -> Bool {
        let (came, now) = (clock.sinceBoot(), clock.now())
        let kept = KeptTime(created: created, sent: sent, came: came)
        memory.withLock { memory in
            memory.reached = now
            if let kept { memory.kept = kept }
        }
        return kept != nil
    }
}
